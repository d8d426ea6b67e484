//! Reads a record of strace: the calls that change files of a folder, in the order in which they
//! ended.

use std::collections::BTreeMap;
use std::path::Path;

/// A call that changes a file, or makes changes last.
#[derive(Debug)]
pub enum Call {
    Create {
        file: String,
    },
    Write {
        file: String,
        at: usize,
        data: Vec<u8>,
    },
    Truncate {
        file: String,
        len: usize,
    },
    /// Of a file or a folder; it covers the calls before this one alone.
    Sync {
        file: String,
        up_to: usize,
    },
    Rename {
        from: String,
        to: String,
    },
    Remove {
        file: String,
    },
    Folder,
    /// Bytes written to standard output.
    Said(String),
}

impl Call {
    pub fn is_sync(&self) -> bool {
        matches!(self, Self::Sync { .. })
    }
}

/// The calls about files of `folder`, whose names are within it.
pub fn read(log: &str, folder: &Path) -> Vec<Call> {
    let mut reader = Reader { folder: folder.to_str().unwrap().to_owned(), ..Reader::default() };
    for line in log.lines() {
        let Some((process, call)) = line.trim_start().split_once(' ') else { continue };
        reader.line(process, call.trim_start());
    }
    reader.calls
}

#[derive(Default)]
struct Reader {
    folder: String,
    calls: Vec<Call>,
    /// By process: a call that has begun, and how many had ended then.
    begun: BTreeMap<String, (String, usize)>,
    /// By the descriptor and its file: where the next write goes.
    places: BTreeMap<String, usize>,
}

impl Reader {
    fn line(&mut self, process: &str, call: &str) {
        let now = self.calls.len();
        if let Some(begun) = call.strip_suffix(" <unfinished ...>") {
            self.begun.insert(process.to_owned(), (begun.to_owned(), now));
            return;
        }
        let (whole, up_to) = match call.strip_prefix("<... ").and_then(|rest| rest.split_once('>'))
        {
            Some((_, rest)) => {
                let Some((begun, up_to)) = self.begun.remove(process) else { return };
                (begun + rest, up_to)
            }
            None => (call.to_owned(), now),
        };
        let Some((name, rest)) = whole.split_once('(') else { return };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else { return };
        if result.starts_with('-') {
            return;
        }
        let arguments = arguments.trim_end().trim_end_matches(')');
        let arguments: Vec<&str> = arguments.split(", ").collect();
        self.call(name, &arguments, result, up_to);
    }

    fn call(&mut self, name: &str, arguments: &[&str], result: &str, up_to: usize) {
        let number = |at: usize| arguments[at].parse::<usize>().unwrap();
        let descriptor = arguments[0];
        if name == "write" && descriptor.starts_with("1<") {
            let text = String::from_utf8_lossy(&bytes(arguments[1])).into_owned();
            self.calls.push(Call::Said(text));
            return;
        }
        let of_descriptor = self.within(&described(descriptor));
        let named = |at: usize| String::from_utf8(bytes(arguments[at])).unwrap();
        let done = match name {
            "openat" => {
                self.places.insert(result.to_owned(), 0);
                let file = self.within(&named(1)).filter(|_| arguments[2].contains("O_CREAT"));
                file.map(|file| Call::Create { file })
            }
            "write" => {
                let data = bytes(arguments[1]);
                let place = self.places.entry(descriptor.to_owned()).or_default();
                let at = *place;
                *place += data.len();
                of_descriptor.map(|file| Call::Write { file, at, data })
            }
            "pwrite64" => of_descriptor.map(|file| Call::Write {
                file,
                at: number(3),
                data: bytes(arguments[1]),
            }),
            "ftruncate" => {
                self.places.insert(descriptor.to_owned(), 0);
                of_descriptor.map(|file| Call::Truncate { file, len: number(1) })
            }
            "fsync" | "fdatasync" => of_descriptor.map(|file| Call::Sync { file, up_to }),
            "rename" => {
                let (from, to) = (self.within(&named(0)), self.within(&named(1)));
                from.zip(to).map(|(from, to)| Call::Rename { from, to })
            }
            "unlink" => self.within(&named(0)).map(|file| Call::Remove { file }),
            "mkdir" => self.within(&named(0)).map(|_| Call::Folder),
            _ => None,
        };
        self.calls.extend(done);
    }

    /// The name within the folder; a relative one is.
    fn within(&self, path: &str) -> Option<String> {
        let path = path.trim_end_matches(" (deleted)");
        let name = match path.strip_prefix(&self.folder) {
            Some(name) => name.trim_start_matches('/'),
            None if path.starts_with('/') || path.contains(':') => return None,
            None => path,
        };
        let parts: Vec<&str> =
            name.split('/').filter(|part| *part != "." && !part.is_empty()).collect();
        Some(parts.join("/"))
    }
}

/// The path of a descriptor, as `5<path>` has it.
fn described(descriptor: &str) -> String {
    let path = descriptor.split_once('<').map_or("", |(_, path)| path.trim_end_matches('>'));
    String::from_utf8_lossy(&bytes(path)).into_owned()
}

/// The bytes of `"\x41\x42"`; plain characters stand for themselves.
fn bytes(text: &str) -> Vec<u8> {
    let text = text.trim_matches('"').as_bytes();
    let (mut bytes, mut at) = (Vec::with_capacity(text.len() / 4), 0);
    while at < text.len() {
        if text[at..].starts_with(b"\\x") {
            let digits = std::str::from_utf8(&text[at + 2..at + 4]).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
            at += 4;
        } else {
            bytes.push(text[at]);
            at += 1;
        }
    }
    bytes
}
