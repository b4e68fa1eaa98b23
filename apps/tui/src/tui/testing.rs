//! What the tests of this module share.
