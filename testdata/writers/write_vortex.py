"""Writes what a version of vortex-data writes: a few rows of several types."""
import sys

import pyarrow as pa
import vortex

out = sys.argv[1]
table = pa.table({"a": pa.array([1, 2, None]), "b": ["x", "yy", "z"], "l": pa.array([[1], [], [2, 3]]), "f": [1.5, 2.5, 3.5]})
array = vortex.array(table) if hasattr(vortex, "array") else vortex.encoding.array(table)
writer = getattr(vortex.io, "write", None) or vortex.io.write_path
writer(array, f"{out}.vortex")
