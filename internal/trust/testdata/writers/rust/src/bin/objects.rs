//! Reads buffers into the objects that flatc generated, and packs them again. Input
//! and output are those of objects.py.

extern crate alloc; // generated code names it

use std::io::{Read, Write};

use flatbuffers::{FlatBufferBuilder, WIPOffset};

/// Reads one buffer and packs it into a builder.
pub type Pack = fn(&mut FlatBufferBuilder, &[u8]) -> u32;

#[path = "../packs.rs"]
mod packs; // written by the test, for the schemas it made up

fn unhex(text: &str) -> Vec<u8> {
    let digits = &text[1..];
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect(text)).collect()
}

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).expect("buffers");
    let mut out = Vec::new();
    for line in input.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [which, prefixed, force, identifier, data] = words[..] else { panic!("five words: {line}") };
        let pack = packs::PACKS[which.parse::<usize>().expect(which)];
        let mut b = FlatBufferBuilder::with_capacity(1);
        b.force_defaults(force == "1");
        let root: WIPOffset<()> = WIPOffset::new(pack(&mut b, &unhex(data)));
        let identifier = String::from_utf8(unhex(identifier)).expect(identifier);
        let identifier = (!identifier.is_empty()).then_some(identifier.as_str());
        match prefixed {
            "1" => b.finish_size_prefixed(root, identifier),
            _ => b.finish(root, identifier),
        }
        let result = b.finished_data();
        out.extend((result.len() as u32).to_le_bytes());
        out.extend(result);
    }
    std::io::stdout().write_all(&out).expect("somebody listens");
}
