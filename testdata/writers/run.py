#!/usr/bin/env python3
"""Writes testdata/writers anew: small files of many writers in many versions, and table.tsv, what
fbinspect verify says of each. Needs Python 3.11 with venv (older pythons for the oldest versions),
Node with npm, Go, Rust with cargo, and Java with Maven. What it installs goes to a folder given as its argument, which may be used again.
A writer that cannot be installed here is told, and its files are left as they are.

    python3 testdata/writers/run.py /tmp/writers
    python3 testdata/writers/run.py /tmp/writers polars planus   # of these writers, and the table
    python3 testdata/writers/run.py --table /tmp/writers         # table.tsv alone
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

here = pathlib.Path(__file__).parent
root = here.parent.parent
files = here / "files"

# Writer, version, what is installed, and which Python takes it.
PYTHON = [
    *[("polars", v, [f"polars=={v}"], "3.9") for v in ("0.13.62", "0.16.18", "0.19.19")],
    *[("polars", v, [f"polars=={v}"], "3.11") for v in ("0.20.31", "1.0.0", "1.20.0", "1.21.0", "1.44.2", "2.0.0", "2.1.0")],
    *[("pyarrow", v, [f"pyarrow=={v}", "numpy<1.22"], "3.7") for v in ("0.14.0", "0.17.1")],
    ("pyarrow", "4.0.1", ["pyarrow==4.0.1", "numpy<1.24"], "3.8"),
    ("pyarrow", "10.0.1", ["pyarrow==10.0.1", "numpy<1.24"], "3.10"),
    ("pyarrow", "16.1.0", ["pyarrow==16.1.0", "numpy<2"], "3.11"),
    ("pyarrow", "26.0.1", ["pyarrow==26.0.1", "numpy"], "3.11"),
    *[("vortex", v, [f"vortex-data=={v}", "pyarrow<24", "substrait<0.24", "typing_extensions"], "3.11") for v in ("0.50.0", "0.62.0", "0.78.0", "0.86.1", "0.93.0")],
    ("pyogrio", "0.5.1", ["pyogrio==0.5.1", "numpy<2"], "3.9"),
    ("pyogrio", "0.13.0", ["pyogrio==0.13.0", "numpy"], "3.11"),
    ("datafusion", "55.0.0", ["datafusion==55.0.0"], "3.11"),
    ("arro3", "0.9.1", ["arro3-io==0.9.1", "arro3-core==0.9.1"], "3.11"),
    *[("nanoarrow", v, [f"nanoarrow=={v}"], "3.11") for v in ("0.6.0", "0.9.0")],
    *[("tflite", v, [f"tflite=={v}", "flatbuffers", "numpy"], "3.11") for v in ("2.10.0", "2.18.0")],
    *[("tensorflow", v, [f"tensorflow-cpu=={v}"], "3.11") for v in ("2.12.0", "2.21.0")],
    ("ai-edge-quantizer", "0.10.0", ["ai-edge-quantizer==0.10.0"], "3.11"),
]
# Writer, version, the package's name.
NODE = [
    *[("apache-arrow", v, "apache-arrow") for v in ("11.0.0", "17.0.0", "21.2.0")],
    *[("flatgeobuf", v, "flatgeobuf") for v in ("3.27.2", "4.5.0")],
    *[("flechette", v, "@uwdata/flechette") for v in ("1.1.2", "2.6.0")],
]
GO = [("arrow-go", v) for v in ("18.4.0",)]
# Writer, version, the crates, and those of the program that makes a part of it.
RUST = [
    ("planus", "1.3.0", ["planus@1.3.0", "serde", "--features", "serde/derive"], ["planus-codegen@1.3.0", "planus-translation@1.3.0"]),
    ("arrow2", "0.18.0", ["arrow2@0.18.0", "--features", "io_ipc"], []),
    *[("arrow-rs", v, [f"{c}@={v}" for c in ("arrow-array", "arrow-ipc", "arrow-schema")] + extra, []) for v, extra in (("30.0.0", ["chrono@=0.4.23"]), ("60.1.0", []))],
    ("flatgeobuf-rs", "6.0.1", ["flatgeobuf@6.0.1", "geozero"], []),
]
JAVA = [("arrow-java", v) for v in ("5.0.0", "12.0.1", "19.0.0")]


def python(version):
    for name in (f"python{version}",):
        found = shutil.which(name)
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            return found
    pyenv = sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(pyenv[-1]) if pyenv else sys.executable


def run(*command, **options):
    subprocess.run([str(c) for c in command], check=True, capture_output=True, timeout=900, **options)


def chosen(rows, wanted):
    return [row for row in rows if not wanted or row[0] in wanted]


def attempt(name, work):
    try:
        work()
    except (subprocess.SubprocessError, OSError) as e:
        told = getattr(e, "stderr", None) or str(e).encode()
        print(f"{name}: left as it is: {told.decode(errors='replace').strip().splitlines()[-1][:200]}", file=sys.stderr)


def main(cache, wanted):
    cache.mkdir(parents=True, exist_ok=True)
    files.mkdir(exist_ok=True)
    for writer, version, needs, of in chosen(PYTHON, wanted):
        def work():
            venv = cache / f"{writer}-{version}"
            if not venv.exists():
                run(python(of), "-m", "venv", venv)
                try:
                    run(venv / "bin/pip", "install", "-q", "--only-binary", ":all:", *needs)
                except BaseException:
                    shutil.rmtree(venv)
                    raise
            run(venv / "bin/python", here / f"write_{writer.replace('-', '_')}.py", files / f"{writer}-{version}")
        attempt(f"{writer} {version}", work)
    for writer, version, package in chosen(NODE, wanted):
        def work():
            folder = cache / f"{writer}-npm-{version}"
            if not (folder / "node_modules").exists():
                folder.mkdir(exist_ok=True)
                (folder / "package.json").write_text('{"private":true,"type":"module"}')
                run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", f"{package}@{version}", cwd=folder)
            shutil.copy(here / f"write_{writer.replace('-', '_')}.mjs", folder / "write.mjs")
            run("node", "write.mjs", files / f"{writer}-{version}", cwd=folder)
        attempt(f"{writer} {version}", work)
    for package, version in chosen(GO, wanted):
        def work():
            folder = cache / f"{package}-{version}"
            folder.mkdir(exist_ok=True)
            shutil.copy(here / "arrow_go.go.txt", folder / "main.go")
            environment = dict(os.environ, GOWORK="off", GOFLAGS="-mod=mod")
            if not (folder / "go.mod").exists():
                run("go", "mod", "init", "writer", cwd=folder, env=environment)
            run("go", "get", f"github.com/apache/arrow-go/v18@v{version}", cwd=folder, env=environment)
            run("go", "run", ".", files / f"{package}-{version}", cwd=folder, env=environment)
        attempt(f"{package} {version}", work)
    for writer, version, crates, makers in chosen(RUST, wanted):
        def work():
            folder = cache / f"{writer}-crate-{version}"
            name = f"write_{writer.replace('-', '_')}"
            if not folder.exists():
                run("cargo", "init", "--name", "writer", folder)
                try:
                    run("cargo", "add", *crates, cwd=folder)
                    if makers:
                        run("cargo", "add", "--build", *makers, cwd=folder)
                except BaseException:
                    shutil.rmtree(folder)
                    raise
            shutil.copy(here / f"{name}.rs", folder / "src/main.rs")
            if makers:
                shutil.copy(here / f"{name}_build.rs", folder / "build.rs")
            run("cargo", "run", "-q", "--", files / f"{writer}-{version}", cwd=folder)
        attempt(f"{writer} {version}", work)
    for writer, version in chosen(JAVA, wanted):
        def work():
            folder = cache / f"{writer}-{version}"
            folder.mkdir(exist_ok=True)
            shutil.copy(here / "pom.xml", folder)
            if not (folder / "lib").exists():
                run("mvn", "-q", "-B", f"-Darrow.version={version}", "dependency:copy-dependencies", "-DoutputDirectory=lib", cwd=folder)
            run("java", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-cp", "lib/*", here / "WriteArrow.java", files / f"{writer}-{version}", cwd=folder)
        attempt(f"{writer} {version}", work)
    table(cache)


def table(cache):
    tool = cache / "fbinspect"
    if not tool.exists():
        run("go", "build", "-o", tool, "./cmd/fbinspect", cwd=root)
    said = subprocess.run([tool, "verify", "--json", *sorted(files.iterdir(), key=key)], capture_output=True, text=True).stdout
    with open(here / "table.tsv", "w") as out:
        print("writer", "version", "file", "format", "verdict", "note", sep="\t", file=out)
        for line in said.splitlines():
            r = json.loads(line)
            name = pathlib.Path(r["file"]).name
            writer, version = split(name)
            notes = []
            for n in r.get("deviations", []) + r.get("notes", []):
                note = f"{n['kind']} in {n.get('path') or n.get('part') or 'the file'}"
                if note not in notes:
                    notes.append(note)
            notes += sorted({e["kind"] for e in r.get("errors", []) + [e for p in r["parts"] for e in p["errors"]]})
            print(writer, version, name, r["format"], r.get("verdict", "none"), "; ".join(notes[:3]) + ("; …" if len(notes) > 3 else ""), sep="\t", file=out)


def split(name):
    """The writer and the version that a file is named for."""
    parts = pathlib.Path(name).name.split("-")
    at = next(i for i, p in enumerate(parts) if p[0].isdigit())
    version = ".".join(x for x in parts[at].split(".") if x.isdigit())
    return "-".join(parts[:at]), version


def key(path):
    writer, version = split(path.name)
    return writer, [int(x) for x in version.split(".")], path.name


if __name__ == "__main__":
    if sys.argv[1] == "--table":
        table(pathlib.Path(sys.argv[2]))
    else:
        main(pathlib.Path(sys.argv[1]), sys.argv[2:])
