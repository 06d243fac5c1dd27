"""Writes files of 5,000 columns with Vortex's and Arrow's own writers, compressed: readers' tests count the reads that
opening them takes. run.py does not run it: `FOLDER/vortex-0.93.0/bin/python testdata/writers/write_wide.py`."""
import gzip
import pathlib
import tempfile

import pyarrow as pa
import vortex

testdata = pathlib.Path(__file__).parent.parent
table = pa.table({f"column_{i:04d}": pa.array([0, 1], pa.int64()) for i in range(5000)})
folder = pathlib.Path(tempfile.mkdtemp())
vortex.io.write(vortex.array(table), str(folder / "columns-5000.vortex"))
with pa.OSFile(str(folder / "columns-5000.arrow"), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
    for _ in range(3):
        writer.write_table(table)
for name in ("vortex", "arrow"):
    b = (folder / f"columns-5000.{name}").read_bytes()
    (testdata / "wide" / f"columns-5000.{name}.gz").write_bytes(gzip.compress(b, 9, mtime=0))
    print(name, len(b), "bytes")
