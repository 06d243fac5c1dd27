"""Writes what a version of nanoarrow writes (its C code, which uses flatcc): a stream with text, numbers and nulls."""
import sys

import nanoarrow as na
from nanoarrow.ipc import StreamWriter

out = sys.argv[1]
array = na.c_array_from_buffers(
    na.struct({"a": na.int64(), "b": na.string()}),
    3,
    [None],
    children=[na.c_array([1, 2, None], na.int64()), na.c_array(["x", "yy", None], na.string())],
)
with StreamWriter.from_path(f"{out}.arrows") as writer:
    writer.write_array(array)
