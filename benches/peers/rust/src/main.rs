//! The verifier of the crate `flatbuffers`, timed on request.
//!
//! A benchmark starts this program once and talks to it over its standard streams, so that rounds of
//! different verifiers can be interleaved. Requests and answers are lines:
//!
//! ```text
//! works                     -> works vortex.Layout vortex.Array ...
//! version                   -> version 25.12.19
//! run WORK ITERATIONS FILE  -> ok NANOSECONDS VERDICT
//! anything it cannot do     -> err REASON
//! ```
//!
//! The verdict is 1 for a buffer that is accepted and 0 for one that is refused. A file is read once
//! and kept.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

#[allow(warnings, clippy::all)]
mod generated {
    pub mod arrow;
    pub mod bench;
    pub mod flatgeobuf;
    pub mod tflite;
    pub mod vortex;
}

use flatbuffers::root;
use generated::{arrow, bench, flatgeobuf, tflite, vortex};

type Verify = fn(&[u8]) -> bool;

/// What can be asked for, by the name of the format and of the root table. Verification is with the
/// crate's own defaults, as `root_as_...` of generated code does it.
const WORKS: &[(&str, Verify)] = &[
    ("arrow.Footer", |b| {
        root::<arrow::org::apache::arrow::flatbuf::Footer>(b).is_ok()
    }),
    ("arrow.Message", |b| {
        root::<arrow::org::apache::arrow::flatbuf::Message>(b).is_ok()
    }),
    ("bench.Hier", |b| root::<bench::bench::Hier>(b).is_ok()),
    ("bench.Texts", |b| root::<bench::bench::Texts>(b).is_ok()),
    ("flatgeobuf.Feature", |b| {
        root::<flatgeobuf::flat_geobuf::Feature>(b).is_ok()
    }),
    ("flatgeobuf.Header", |b| {
        root::<flatgeobuf::flat_geobuf::Header>(b).is_ok()
    }),
    ("tflite.Model", |b| root::<tflite::tflite::Model>(b).is_ok()),
    ("vortex.Array", |b| root::<vortex::Array>(b).is_ok()),
    ("vortex.DType", |b| root::<vortex::DType>(b).is_ok()),
    ("vortex.Footer", |b| root::<vortex::Footer>(b).is_ok()),
    ("vortex.Layout", |b| root::<vortex::Layout>(b).is_ok()),
];

struct Files(HashMap<String, Vec<u8>>);

impl Files {
    fn get(&mut self, path: &str) -> io::Result<&[u8]> {
        if !self.0.contains_key(path) {
            let bytes = std::fs::read(path)?;
            self.0.insert(path.to_string(), bytes);
        }
        Ok(&self.0[path])
    }
}

fn run(request: &str, files: &mut Files) -> Result<String, String> {
    let mut words = request.splitn(3, ' ');
    let (work, iterations, path) = match (words.next(), words.next(), words.next()) {
        (Some(work), Some(iterations), Some(path)) => (work, iterations, path),
        _ => return Err("run wants WORK ITERATIONS FILE".to_string()),
    };
    let verify = WORKS
        .iter()
        .find(|(name, _)| *name == work)
        .ok_or_else(|| format!("no work {work}"))?
        .1;
    let iterations: u64 = iterations
        .parse()
        .map_err(|e| format!("iterations {iterations}: {e}"))?;
    let buf = files.get(path).map_err(|e| format!("{path}: {e}"))?;

    let mut accepted = 0;
    let start = Instant::now();
    for _ in 0..iterations {
        accepted += u64::from(verify(black_box(buf)));
    }
    let elapsed = start.elapsed().as_nanos();
    if accepted != 0 && accepted != iterations {
        return Err("the verdict changed between iterations".to_string());
    }
    Ok(format!("ok {elapsed} {}", u64::from(accepted > 0)))
}

fn main() -> io::Result<()> {
    let mut files = Files(HashMap::new());
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match line.split_once(' ') {
            None if line == "works" => {
                let names: Vec<&str> = WORKS.iter().map(|(name, _)| *name).collect();
                Ok(format!("works {}", names.join(" ")))
            }
            None if line == "version" => Ok("version 25.12.19".to_string()),
            Some(("run", request)) => run(request, &mut files),
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
