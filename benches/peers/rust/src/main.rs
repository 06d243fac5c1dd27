//! The verifier of the crate `flatbuffers`, timed on request.
//!
//! A benchmark starts this program once and talks to it over its standard streams, so that rounds of
//! different verifiers can be interleaved. Requests and answers are lines:
//!
//! ```text
//! works                     -> works Layout bench.Row ...
//! version                   -> version 25.12.19
//! run WORK FRAMING TABLES SIZE SET ITERATIONS FILE
//!                           -> ok NANOSECONDS VERDICT
//! anything it cannot do     -> err REASON
//! ```
//!
//! FILE holds buffers of SIZE bytes one after the other; they are copied until there are SET bytes of
//! them, and verified in turn, each iteration one, going on where the last request stopped. FRAMING is
//! plain or sized, for buffers that start with their own length. TABLES is the most tables of a buffer.
//! The verdict is 1 for buffers that are accepted and 0 for ones that are refused. The last file is kept.

use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

#[allow(warnings, clippy::all)]
#[path = "../../build/rust/mod.rs"]
mod generated;

use flatbuffers::{root_with_opts, size_prefixed_root_with_opts, VerifierOptions};

type Verify = fn(&VerifierOptions, &[u8]) -> bool;

struct Work {
    name: &'static str,
    plain: Verify,
    sized: Verify,
}

/// What can be asked for, by the full name of the root table. Verification is with the crate's own
/// defaults but for the limit on tables.
macro_rules! work {
    ($name:literal, $type:ty) => {
        Work {
            name: $name,
            plain: |o, b| root_with_opts::<$type>(o, b).is_ok(),
            sized: |o, b| size_prefixed_root_with_opts::<$type>(o, b).is_ok(),
        }
    };
}

const WORKS: &[Work] = include!("../../build/rust/works.rs");

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u8; 64]);

/// The buffers that are verified in turn, each at a multiple of 64 bytes.
#[derive(Default)]
struct Ring {
    key: String,
    lines: Vec<Line>,
    size: usize,
    stride: usize,
    count: usize,
    next: usize,
}

impl Ring {
    fn load(&mut self, path: &str, size: usize, set: usize) -> Result<(), String> {
        let key = format!("{size} {set} {path}");
        if key == self.key {
            return Ok(());
        }
        let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
        if size == 0 || bytes.is_empty() || bytes.len() % size != 0 {
            return Err(format!("{path}: not buffers of {size} bytes"));
        }
        *self = Ring::default();
        let count = set.div_ceil(bytes.len()).max(1) * (bytes.len() / size);
        let stride = size.div_ceil(64) * 64;
        let lines = vec![Line([0; 64]); stride / 64 * count];
        *self = Ring { key, lines, size, stride, count, next: 0 };
        for i in 0..count {
            let from = i * size % bytes.len();
            let at = i * stride;
            self.bytes_mut()[at..at + size].copy_from_slice(&bytes[from..from + size]);
        }
        Ok(())
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // A Line is 64 bytes without padding.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.lines.len() * 64) }
    }

    fn next(&mut self) -> &[u8] {
        let at = self.next * self.stride;
        self.next += 1;
        if self.next == self.count {
            self.next = 0;
        }
        let size = self.size;
        &self.bytes_mut()[at..at + size]
    }
}

fn run(request: &str, ring: &mut Ring) -> Result<String, String> {
    let words: Vec<&str> = request.splitn(7, ' ').collect();
    let [work, framing, tables, size, set, iterations, path] = words[..] else {
        return Err("run wants WORK FRAMING TABLES SIZE SET ITERATIONS FILE".to_string());
    };
    let number = |word: &str| word.parse::<usize>().map_err(|e| format!("{word}: {e}"));
    let work = WORKS
        .iter()
        .find(|w| w.name == work)
        .ok_or_else(|| format!("no work {work}"))?;
    let verify = if framing == "sized" { work.sized } else { work.plain };
    let iterations = number(iterations)?;
    let options = VerifierOptions { max_tables: number(tables)?, ..Default::default() };
    ring.load(path, number(size)?, number(set)?)?;

    let mut accepted = 0;
    let start = Instant::now();
    for _ in 0..iterations {
        accepted += usize::from(verify(&options, black_box(ring.next())));
    }
    let elapsed = start.elapsed().as_nanos();
    if accepted != 0 && accepted != iterations {
        return Err("the verdict changed between iterations".to_string());
    }
    Ok(format!("ok {elapsed} {}", u64::from(accepted > 0)))
}

fn main() -> io::Result<()> {
    let mut ring = Ring::default();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match line.split_once(' ') {
            None if line == "works" => {
                let names: Vec<&str> = WORKS.iter().map(|w| w.name).collect();
                Ok(format!("works {}", names.join(" ")))
            }
            None if line == "version" => Ok("version 25.12.19".to_string()),
            Some(("run", request)) => run(request, &mut ring),
            _ => Err("want works, version or run".to_string()),
        };
        writeln!(
            out,
            "{}",
            answer.unwrap_or_else(|reason| format!("err {reason}"))
        )?;
        out.flush()?;
    }
    Ok(())
}
