#!/usr/bin/env python3
"""Tries which readers open what deviates from the letter of its format, and writes readers.tsv: for each
deviation and reader what came of it. The readers are installed into a folder, which may be that of run.py.

    python3 testdata/writers/read.py /tmp/writers
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from run import attempt, files, here, python, run

# A deviation: its name as in the Go test, which formats' file has it, and how it is made of a real file.
def wrong(b):
    return b"broken"[:4] + b[4:] if b[:4] == b"VTXF" else b"broken" + b[6:]


def behind(b):
    return b + b"and so on"


DEVIATIONS = [
    ("arrow-mark", "pyarrow-26.0.1.arrow", wrong),
    ("arrow-schema-bare", "polars-2.1.0.arrow", None),
    ("arrow-schema-none", "apache-arrow-21.2.0.arrow", None),
    ("arrow-behind", "pyarrow-26.0.1.arrows", behind),
    ("arrow-binary", "pyarrow-26.0.1-binary-metadata.arrows", None),
    ("arrow-aligned", "polars-1.0.0.arrow", None),
    ("arrow-aligned", "polars-1.0.0.arrows", None),
    ("vortex-mark", "vortex-0.93.0.vortex", wrong),
    ("flatgeobuf-behind", "pyogrio-0.13.0-indexed.fgb", behind),
    ("flatgeobuf-behind", "pyogrio-0.13.0.fgb", behind),
]

# Name in the documentation, package and version, what is installed, the endings that it reads, and a program
# that is given files and prints of each how many rows it has, or what is wrong.
LOOP = """
import sys
for name in sys.argv[1:]:
    try: print("rows", read(name))
    except BaseException as e: print("error", type(e).__name__, str(e).replace(chr(10), " ")[:160])
"""
PYTHON = [
    ("pyarrow", "pyarrow-26.0.1", ["pyarrow==26.0.1", "numpy"], "arrow arrows", """
import pyarrow.ipc as ipc, pyarrow as pa
def read(name):
    t = (ipc.open_stream if name.endswith("s") else ipc.open_file)(pa.memory_map(name)).read_all()
    t.validate(full=True)
    return t.num_rows
"""),
    ("Polars", "polars-2.1.0", ["polars==2.1.0"], "arrow arrows", """
import polars as pl
def read(name): return (pl.read_ipc_stream if name.endswith("s") else pl.read_ipc)(name).height
"""),
    ("nanoarrow", "nanoarrow-0.9.0", ["nanoarrow==0.9.0"], "arrows", """
import nanoarrow as na
def read(name): return len(na.ArrayStream.from_path(name).read_all())
"""),
    ("vortex-data", "vortex-0.93.0", ["vortex-data==0.93.0", "pyarrow<24", "substrait<0.24", "typing_extensions"], "vortex", """
import vortex
def read(name): return len(vortex.open(name).scan().read_all())
"""),
    ("GDAL", "pyogrio-0.13.0", ["pyogrio==0.13.0", "numpy"], "fgb", """
import pyogrio.raw as raw
def read(name): return len(raw.read(name)[2])
"""),
]
NODE = [
    ("arrow-js", "apache-arrow", "21.2.0", "arrow arrows", 'import { tableFromIPC } from "apache-arrow";\nconst read = b => tableFromIPC(b).numRows;'),
    ("flechette", "@uwdata/flechette", "2.6.0", "arrow arrows", 'import { tableFromIPC } from "@uwdata/flechette";\nconst read = b => tableFromIPC(b).numRows;'),
    ("flatgeobuf npm", "flatgeobuf", "4.5.0", "fgb", 'import { deserialize } from "flatgeobuf/lib/mjs/geojson.js";\nconst read = async b => { let n = 0; for await (const f of deserialize(new Response(b).body)) n++; return n; };'),
]
NODE_LOOP = """
import { readFileSync } from "node:fs";
for (const name of process.argv.slice(2)) {
  try { console.log("rows", await read(new Uint8Array(readFileSync(name)))); }
  catch (e) { console.log("error", String(e).replaceAll("\\n", " ").slice(0, 160)); }
}
"""


def main(cache):
    cache.mkdir(parents=True, exist_ok=True)
    made = pathlib.Path(tempfile.mkdtemp())
    cases = []
    for i, (name, source, change) in enumerate(DEVIATIONS):
        b = (files / source).read_bytes()
        path = made / f"{i}-{source}"
        path.write_bytes(change(b) if change else b)
        cases.append((name, source, path))
    rows = []

    def ask(reader, package, endings, command, **options):
        mine = [c for c in cases if c[2].suffix[1:] in endings.split()]
        # One process for a file: what crashes takes none along.
        for name, source, path in mine:
            told = subprocess.run([*map(str, command), str(path)], capture_output=True, text=True, timeout=120, **options)
            lines = [line for line in told.stdout.splitlines() if line.startswith(("rows ", "error "))]
            rows.append((name, source, reader, package, lines[-1] if lines else f"error: it ended with {told.returncode}"))

    for reader, package, needs, endings, program in PYTHON:
        def work():
            venv = cache / package
            if not venv.exists():
                run(python("3.11"), "-m", "venv", venv)
                run(venv / "bin/pip", "install", "-q", "--only-binary", ":all:", *needs)
            ask(reader, package, endings, [venv / "bin/python", "-c", program + LOOP])
        attempt(package, work)
    for reader, package, version, endings, program in NODE:
        def work():
            folder = cache / f"{package.split('/')[-1]}-npm-{version}"
            if not (folder / "node_modules").exists():
                folder.mkdir(exist_ok=True)
                (folder / "package.json").write_text('{"private":true,"type":"module"}')
                run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", f"{package}@{version}", cwd=folder)
            (folder / "read.mjs").write_text(program + NODE_LOOP)
            ask(reader, f"{package}-{version}", endings, ["node", "read.mjs"], cwd=folder)
        attempt(package, work)

    def go():
        folder = cache / "arrow-go-read-18.8.0"
        folder.mkdir(exist_ok=True)
        shutil.copy(here / "read_arrow_go.go.txt", folder / "main.go")
        environment = dict(os.environ, GOWORK="off", GOFLAGS="-mod=mod")
        if not (folder / "go.mod").exists():
            run("go", "mod", "init", "reader", cwd=folder, env=environment)
        run("go", "get", "github.com/apache/arrow-go/v18@v18.8.0", cwd=folder, env=environment)
        run("go", "build", "-o", "read", ".", cwd=folder, env=environment)
        ask("arrow-go", "arrow-go-18.8.0", "arrow arrows", [folder / "read"])
    attempt("arrow-go", go)

    def rust():
        folder = cache / "arrow-rs-crate-60.1.0"
        if not folder.exists():
            run("cargo", "init", "--name", "writer", folder)
            run("cargo", "add", "arrow-array@=60.1.0", "arrow-ipc@=60.1.0", "arrow-schema@=60.1.0", cwd=folder)
        run("cargo", "add", "arrow-ipc@=60.1.0", "--features", "lz4", cwd=folder)
        (folder / "src/bin").mkdir(exist_ok=True)
        shutil.copy(here / "read_arrow_rs.rs", folder / "src/bin/read.rs")
        run("cargo", "build", "-q", "--bin", "read", cwd=folder)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", folder / "target"))
        ask("arrow-rs", "arrow-ipc-60.1.0", "arrow arrows", [target / "debug/read"])
    attempt("arrow-rs", rust)

    def java():
        folder = cache / "arrow-java-19.0.0"
        folder.mkdir(exist_ok=True)
        shutil.copy(here / "pom.xml", folder)
        if not (folder / "lib").exists():
            run("mvn", "-q", "-B", "-Darrow.version=19.0.0", "dependency:copy-dependencies", "-DoutputDirectory=lib", cwd=folder)
        ask("Arrow Java", "arrow-vector-19.0.0", "arrow arrows", ["java", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-cp", f"{folder}/lib/*", here / "ReadArrow.java"])
    attempt("Arrow Java", java)

    rows.sort(key=lambda r: ([d[0] for d in DEVIATIONS].index(r[0]), r[1], r[2].lower()))
    with open(here / "readers.tsv", "w") as out:
        print("deviation", "made of", "reader", "package", "outcome", sep="\t", file=out)
        for row in rows:
            print(*row, sep="\t", file=out)
    shutil.rmtree(made)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
