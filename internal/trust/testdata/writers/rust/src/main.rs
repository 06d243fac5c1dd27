//! Does what scripts say with the Rust builder. See script_test.go for the calls.
//!
//! Reads the scripts from standard input, one after the other, and writes each buffer
//! with its length before it, a little-endian 32-bit number.

use std::cell::Cell;
use std::io::{Read, Write};

use flatbuffers::{FlatBufferBuilder, Push, PushAlignment, TableFinishedWIPOffset, WIPOffset};

thread_local! {
    static SIZE: Cell<usize> = const { Cell::new(0) };
    static ALIGN: Cell<usize> = const { Cell::new(1) };
}

/// A struct of the size and alignment last set: generated ones are types of their
/// own that are bytes too.
#[derive(Clone, Copy)]
struct Struct<'a>(&'a [u8]);

impl Push for Struct<'_> {
    type Output = ();

    unsafe fn push(&self, dst: &mut [u8], _written: usize) {
        dst.copy_from_slice(self.0);
    }

    fn size() -> usize {
        SIZE.get()
    }

    fn alignment() -> PushAlignment {
        PushAlignment::new(ALIGN.get())
    }
}

/// A scalar that a script can name.
trait Scalar: Push<Output: 'static> + Copy + PartialEq {
    fn read(text: &str) -> Self;
    fn bytes(text: &str) -> Vec<u8>;
}

macro_rules! integer {
    ($($t:ty),*) => {$(
        impl Scalar for $t {
            fn read(text: &str) -> Self {
                text.parse().expect(text)
            }
            fn bytes(text: &str) -> Vec<u8> {
                Self::read(text).to_le_bytes().to_vec()
            }
        }
    )*};
}

integer!(i8, u8, i16, u16, i32, u32, i64, u64);

impl Scalar for bool {
    fn read(text: &str) -> Self {
        text != "0"
    }
    fn bytes(text: &str) -> Vec<u8> {
        vec![u8::from(Self::read(text))]
    }
}

impl Scalar for f32 {
    fn read(text: &str) -> Self {
        f32::from_bits(u32::read(text))
    }
    fn bytes(text: &str) -> Vec<u8> {
        u32::bytes(text)
    }
}

impl Scalar for f64 {
    fn read(text: &str) -> Self {
        f64::from_bits(u64::read(text))
    }
    fn bytes(text: &str) -> Vec<u8> {
        u64::bytes(text)
    }
}

/// Calls a function that is generic over the type that a script names.
macro_rules! typed {
    ($name:expr, $f:ident($($arg:expr),*)) => {
        match $name {
            "bool" => $f::<bool>($($arg),*),
            "i8" => $f::<i8>($($arg),*),
            "u8" => $f::<u8>($($arg),*),
            "i16" => $f::<i16>($($arg),*),
            "u16" => $f::<u16>($($arg),*),
            "i32" => $f::<i32>($($arg),*),
            "u32" => $f::<u32>($($arg),*),
            "i64" => $f::<i64>($($arg),*),
            "u64" => $f::<u64>($($arg),*),
            "f32" => $f::<f32>($($arg),*),
            "f64" => $f::<f64>($($arg),*),
            other => panic!("no such type: {other}"),
        }
    };
}

type Builder = FlatBufferBuilder<'static>;

fn add<T: Scalar>(b: &mut Builder, slot: u16, text: &str, default: &str) {
    b.push_slot(slot, T::read(text), T::read(default));
}

fn set<T: Scalar>(b: &mut Builder, slot: u16, text: &str) {
    b.push_slot_always(slot, T::read(text));
}

fn bytes<T: Scalar>(text: &str) -> Vec<u8> {
    T::bytes(text)
}

fn scalars<T: Scalar>(b: &mut Builder, way: &str, words: &[&str]) -> u32 {
    vector(b, way, &words.iter().map(|w| T::read(w)).collect::<Vec<T>>())
}

fn vector<T: Push<Output: 'static> + Copy>(b: &mut Builder, way: &str, values: &[T]) -> u32 {
    match way {
        "0" => b.create_vector(values).value(),
        "1" => b.create_vector_from_iter(values.iter()).value(),
        _ => {
            b.start_vector::<T>(values.len());
            for v in values.iter().rev() {
                b.push(*v);
            }
            b.end_vector::<u8>(values.len()).value() // the type only names the result
        }
    }
}

/// Joins the parts of a struct.
fn structure(parts: &[&str]) -> Vec<u8> {
    let mut all = Vec::new();
    for part in parts {
        match part.split_once(':').expect(part) {
            ("pad", n) => all.resize(all.len() + number(n), 0),
            (name, text) => all.extend(typed!(name, bytes(text))),
        }
    }
    all
}

/// Sets the size and alignment of the structs that follow.
fn shape(size: &str, align: &str) {
    SIZE.set(number(size));
    ALIGN.set(number(align));
}

fn number(text: &str) -> usize {
    text.parse().expect(text)
}

fn slot(text: &str) -> u16 {
    (4 + 2 * number(text)) as u16
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = &text[1..];
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect(text)).collect()
}

fn text(word: &str) -> String {
    String::from_utf8(unhex(word)).expect(word)
}

fn offset(id: u32) -> WIPOffset<()> {
    WIPOffset::new(id)
}

/// A buffer that is being written, and what was made in it.
struct Draft {
    b: Builder,
    ids: Vec<u32>,
    table: Option<WIPOffset<flatbuffers::TableUnfinishedWIPOffset>>,
}

fn run(script: &str, mut write: impl FnMut(&[u8])) {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut used: Option<Builder> = None;
    let mut result = Vec::new();
    for line in script.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (call, w) = (words[0], &words[1..]);
        if call == "buffer" {
            let mut b = match used.take() {
                Some(mut b) if number(w[0]) % 2 == 0 => {
                    b.reset(); // builders can be used again
                    b
                }
                _ => Builder::with_capacity(number(w[0])),
            };
            b.force_defaults(w[1] == "1");
            drafts.push(Draft { b, ids: Vec::new(), table: None });
            continue;
        }
        let Draft { b, ids, table } = drafts.last_mut().expect("a buffer first");
        match call {
            "string" if w[0] == "1" => ids.push(b.create_shared_string(&text(w[1])).value()),
            "string" => ids.push(b.create_string(&text(w[1])).value()),
            "bytes" => ids.push(b.create_vector(&unhex(w[0])).value()),
            "nest" => ids.push(b.create_vector(&result).value()),
            "vector" => ids.push(typed!(w[1], scalars(b, w[0], &w[2..]))),
            "offsets" if w.contains(&"-") => {
                b.start_vector::<WIPOffset<()>>(w.len());
                for word in w.iter().rev() {
                    match *word {
                        "-" => b.push(0u32).value(),
                        id => b.push(offset(ids[number(id)])).value(),
                    };
                }
                ids.push(b.end_vector::<WIPOffset<()>>(w.len()).value());
            }
            "offsets" => {
                let all: Vec<_> = w.iter().map(|id| offset(ids[number(id)])).collect();
                ids.push(b.create_vector(&all).value());
            }
            "structs" => {
                shape(w[1], w[2]);
                let all: Vec<_> = w[3..].split(|word| *word == "/").skip(1).map(structure).collect();
                let all: Vec<_> = all.iter().map(|bytes| Struct(bytes)).collect();
                ids.push(vector(b, w[0], &all));
            }
            "lone" => {
                shape(w[0], w[1]);
                ids.push(b.push(Struct(&structure(&w[3..]))).value());
            }
            "table" => *table = Some(b.start_table()),
            "add" => typed!(w[1], add(b, slot(w[0]), w[2], w[3])),
            "set" => typed!(w[1], set(b, slot(w[0]), w[2])),
            "struct" => {
                shape(w[1], w[2]);
                b.push_slot_always(slot(w[0]), Struct(&structure(&w[4..])));
            }
            "offset" => b.push_slot_always(slot(w[0]), offset(ids[number(w[1])])),
            "end" => ids.push(b.end_table(table.take().expect("a table first")).value()),
            "need" => {
                let last: WIPOffset<TableFinishedWIPOffset> = WIPOffset::new(*ids.last().expect("a table first"));
                b.required(last, slot(w[0]), "a required field");
            }
            "finish" => {
                let root = offset(ids[number(w[0])]);
                let identifier = text(w[2]);
                let identifier = (!identifier.is_empty()).then_some(identifier.as_str());
                match (w[1], identifier) {
                    ("1", id) => b.finish_size_prefixed(root, id),
                    (_, None) => b.finish_minimal(root),
                    (_, id) => b.finish(root, id),
                }
                result = b.finished_data().to_vec();
                used = drafts.pop().map(|d| d.b);
                if drafts.is_empty() {
                    write(&result);
                }
            }
            _ => panic!("no such call: {line}"),
        }
    }
}

fn main() {
    let mut script = String::new();
    std::io::stdin().read_to_string(&mut script).expect("a script");
    let mut out = Vec::new();
    run(&script, |buffer| {
        out.extend((buffer.len() as u32).to_le_bytes());
        out.extend(buffer);
    });
    std::io::stdout().write_all(&out).expect("somebody listens");
}
