//! callgate
fn main() {}
