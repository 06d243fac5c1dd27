"""Writes what a version of arro3 writes (arrow-rs): a file and a stream."""
import sys

from arro3.core import Array, DataType, Table
from arro3.io import write_ipc, write_ipc_stream

out = sys.argv[1]
table = Table.from_pydict({"a": Array([1, 2, None], DataType.int64()), "b": Array(["x", "yy", None], DataType.utf8())})
write_ipc(table, f"{out}.arrow")
write_ipc_stream(table, f"{out}.arrows")
