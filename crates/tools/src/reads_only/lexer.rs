//! A command line as words, if nothing in it needs a real shell to be understood.

use std::{iter::Peekable, str::Chars};

/// A word after quotes were removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether any of it was quoted.
    pub(super) quoted: bool,
    /// Whether the shell replaces it by names of files, and so by any number of words.
    pub(super) glob: bool,
    /// Whether those names may start with anything, a dash too.
    pub(super) glob_first: bool,
}

/// A program with what it is given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// At least one: the program's name.
    pub(super) words: Vec<Word>,
    /// Files that the shell opens for it.
    pub(super) inputs: Vec<Word>,
}

/// The simple commands of a line; `None` if it isn't understood.
pub(super) fn commands(line: &str) -> Option<Vec<Command>> {
    if line.chars().any(is_hidden) {
        return None;
    }
    let mut lexer = Lexer { rest: line.chars().peekable() };
    let mut commands = Vec::new();
    let mut command = Command::default();
    // Whether an operator still lacks its right side.
    let mut dangling = false;
    loop {
        match lexer.token()? {
            Token::Word(word) => command.words.push(word),
            Token::Input(word) => command.inputs.push(word),
            Token::Discard => {}
            token => {
                let empty = command.words.is_empty();
                if empty && !command.inputs.is_empty() {
                    return None;
                }
                match token {
                    // An empty line means nothing, an operator without a left side is a fault.
                    Token::Newline if empty => continue,
                    Token::End if empty => break,
                    _ if empty => return None,
                    _ => {}
                }
                commands.push(std::mem::take(&mut command));
                dangling = token == Token::Joint;
                if token == Token::End {
                    break;
                }
            }
        }
    }
    (!dangling && !commands.is_empty()).then_some(commands)
}

/// Characters that a person or another shell may see otherwise than we do.
fn is_hidden(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(Word),
    /// A redirection without effect.
    Discard,
    /// A file to read from.
    Input(Word),
    /// `;`, after which the line may end.
    Semicolon,
    Newline,
    /// `&&`, `||` or `|`, after which something must follow.
    Joint,
    End,
}

struct Lexer<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Lexer<'_> {
    fn token(&mut self) -> Option<Token> {
        self.skip_blanks();
        let Some(&next) = self.rest.peek() else {
            return Some(Token::End);
        };
        match next {
            '\n' => {
                self.rest.next();
                Some(Token::Newline)
            }
            ';' => {
                self.rest.next();
                Some(Token::Semicolon)
            }
            '|' => {
                self.rest.next();
                // `|` or `||`; `|&` is not understood.
                let _second = self.rest.next_if_eq(&'|');
                (self.rest.peek() != Some(&'&')).then_some(Token::Joint)
            }
            '&' => {
                self.rest.next();
                self.rest.next_if_eq(&'&').map(|_| Token::Joint)
            }
            '#' => {
                while self.rest.next_if(|&c| c != '\n').is_some() {}
                self.token()
            }
            '<' | '>' => self.redirection(),
            _ => {
                let word = self.word()?;
                let is_descriptor = !word.quoted && word.text.chars().all(|c| c.is_ascii_digit());
                match self.rest.peek() {
                    Some('<' | '>') if is_descriptor => self.redirection(),
                    _ => Some(Token::Word(word)),
                }
            }
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            let blank = self.rest.next_if(|&c| c == ' ' || c == '\t').is_some();
            if !blank && !self.continuation() {
                return;
            }
        }
    }

    /// Skips a backslash with a newline, which the shell takes for nothing.
    fn continuation(&mut self) -> bool {
        let mut ahead = self.rest.clone();
        let found = ahead.next() == Some('\\') && ahead.next() == Some('\n');
        if found {
            self.rest = ahead;
        }
        found
    }

    /// `2>&1`, `>/dev/null` and the like, and `<file`.
    fn redirection(&mut self) -> Option<Token> {
        let writes = self.rest.next()? == '>';
        let joined = writes && self.rest.next_if_eq(&'&').is_some();
        // `>>` to nowhere is as good as `>`.
        let _appends = writes && !joined && self.rest.next_if_eq(&'>').is_some();
        if matches!(self.rest.peek(), Some('<' | '>' | '&' | '|' | '(')) {
            return None;
        }
        if !joined {
            self.skip_blanks();
        }
        let target = self.word()?;
        let fits = match (writes, joined) {
            (true, true) => target.text == "1" || target.text == "2",
            (true, false) => target.text == "/dev/null",
            // The shell itself makes connections for names in /dev.
            (false, _) => target.text == "/dev/null" || !target.text.starts_with("/dev"),
        };
        let token = if writes { Token::Discard } else { Token::Input(target.clone()) };
        (fits && !target.text.is_empty() && !target.glob).then_some(token)
    }

    fn word(&mut self) -> Option<Word> {
        let mut word = Word::default();
        while !self.at_end_of_word() {
            if self.continuation() {
                continue;
            }
            match self.rest.next()? {
                '\'' => self.single_quoted(&mut word)?,
                '"' => self.double_quoted(&mut word)?,
                '\\' => {
                    word.quoted = true;
                    word.text.push(self.rest.next()?);
                }
                // Literal where no name can follow.
                '$' if self.at_end_of_word() => word.text.push('$'),
                '$' | '`' | '(' | ')' | '{' | '}' => return None,
                c @ ('*' | '?' | '[') => {
                    word.glob_first |= word.text.is_empty();
                    word.glob = true;
                    word.text.push(c);
                }
                // What another locale may take for a blank.
                c if !c.is_ascii() && !c.is_alphanumeric() => return None,
                c => word.text.push(c),
            }
        }
        if word.text == "[" {
            (word.glob, word.glob_first) = (false, false);
        }
        Some(word)
    }

    fn at_end_of_word(&mut self) -> bool {
        matches!(self.rest.peek(), None | Some(' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>'))
    }

    fn single_quoted(&mut self, word: &mut Word) -> Option<()> {
        word.quoted = true;
        loop {
            match self.rest.next()? {
                '\'' => return Some(()),
                c => word.text.push(c),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Word) -> Option<()> {
        word.quoted = true;
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '`' => return None,
                '$' => match self.rest.peek()? {
                    '"' | ' ' | '|' | ')' => word.text.push('$'),
                    _ => return None,
                },
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => word.text.push(c),
                    c => word.text.extend(['\\', c]),
                },
                c => word.text.push(c),
            }
        }
    }
}
