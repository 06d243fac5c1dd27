"""Writes what a version of pyarrow writes: a file and a stream, with metadata of bytes where it takes them."""
import sys

import pyarrow as pa

out = sys.argv[1]
ipc = pa.ipc if hasattr(pa, "ipc") else __import__("pyarrow.ipc").ipc
batch = pa.RecordBatch.from_arrays(
    [pa.array([1, 2, None]), pa.array(["x", None, "yy"]), pa.array(["u", "v", "u"]).dictionary_encode(), pa.array([[1], [], None])],
    ["a", "b", "d", "l"],
)
for kind, end in ((pa.RecordBatchFileWriter, "arrow"), (pa.RecordBatchStreamWriter, "arrows")):
    writer = kind(f"{out}.{end}", batch.schema)
    writer.write_batch(batch)
    writer.write_batch(batch)
    writer.close()
small = pa.RecordBatch.from_arrays([pa.array([1])], ["a"])
schema = small.schema.with_metadata({b"bin": b"\xff\xfe\x00\x01"}) if hasattr(small.schema, "with_metadata") else small.schema.add_metadata({b"bin": b"\xff\xfe\x00\x01"})
writer = pa.RecordBatchStreamWriter(f"{out}-binary-metadata.arrows", schema)
writer.write_table(pa.Table.from_arrays([pa.array([1])], schema=schema))
writer.close()
