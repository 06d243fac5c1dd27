"""Writes what a version of Polars writes: a file with text, numbers and nulls, an empty one, and a stream."""
import sys

import polars as pl

out = sys.argv[1]
frame = pl.DataFrame({"a": [1, 2, 3], "b": ["x", "yy", None], "c": [1.5, None, 2.5]})
frame.with_columns(pl.Series("d", ["u", "v", "u"]).cast(pl.Categorical)).write_ipc(f"{out}.arrow")
frame.head(0).write_ipc(f"{out}-empty.arrow")
frame.write_ipc(f"{out}-lz4.arrow", compression="lz4")
if hasattr(frame, "write_ipc_stream"):
    frame.write_ipc_stream(f"{out}.arrows")
