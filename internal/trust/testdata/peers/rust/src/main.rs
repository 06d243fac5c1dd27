//! Says of each buffer in a file, one after the other, each with its size before it as a 32-bit number,
//! whether the verifier of the crate `flatbuffers` accepts it: 1, or 0.

#[allow(warnings, clippy::all)]
mod peers_generated;

use std::io::Write;

fn main() {
    let name = std::env::args().nth(1).expect("a file");
    let all = std::fs::read(name).expect("the file is there");
    let mut rest = &all[..];
    let mut out = Vec::new();
    while rest.len() >= 4 {
        let size = u32::from_le_bytes(rest[..4].try_into().unwrap()) as usize;
        let buffer = &rest[4..4 + size];
        rest = &rest[4 + size..];
        let ok = flatbuffers::root::<peers_generated::peers::R>(buffer).is_ok();
        out.push(if ok { b'1' } else { b'0' });
    }
    std::io::stdout().write_all(&out).expect("somebody listens");
}
