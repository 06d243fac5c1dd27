"""Writes testdata/arrow/* with pyarrow, and reads each back with it."""

import datetime as dt
import pathlib
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc as ipc

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "arrow"
OUT.mkdir(exist_ok=True)


def file(name, table, **options):
    with pa.OSFile(str(OUT / name), "wb") as sink, ipc.new_file(sink, table.schema, options=ipc.IpcWriteOptions(**options)) as w:
        for batch in table.to_batches():
            w.write_batch(batch)
    assert ipc.open_file(str(OUT / name)).read_all().equals(table), name


def stream(name, table, **options):
    with pa.OSFile(str(OUT / name), "wb") as sink, ipc.new_stream(sink, table.schema, options=ipc.IpcWriteOptions(**options)) as w:
        for batch in table.to_batches():
            w.write_batch(batch)
    assert ipc.open_stream((OUT / name).read_bytes()).read_all().equals(table), name


n = 24
plain = pa.table(
    {
        "i8": pa.array([i - 12 for i in range(n)], pa.int8()),
        "u64": pa.array([None if i == 5 else 2**64 - 1 - i for i in range(n)], pa.uint64()),
        "f16": pa.array(np.arange(n, dtype=np.float16)),
        "f64": pa.array([i / 7 for i in range(n)], pa.float64()),
        "flag": pa.array([None if i % 7 == 0 else i % 2 == 0 for i in range(n)], pa.bool_()),
        "text": pa.array([None if i % 6 == 0 else "é" * i for i in range(n)], pa.string()),
        "view": pa.array(["a view of a string longer than twelve" if i % 2 else "short" for i in range(n)], pa.string_view()),
        "blob": pa.array([bytes(range(i)) for i in range(n)], pa.large_binary()),
        "fixed": pa.array([bytes([i] * 3) for i in range(n)], pa.binary(3)),
        "day": pa.array([dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(n)], pa.date32()),
        "time": pa.array([dt.time(i, 2, 3) for i in range(n)], pa.time64("ns")),
        "at": pa.array([dt.datetime(2021, 3, 4, i) for i in range(n)], pa.timestamp("ms", tz="Europe/Lisbon")),
        "span": pa.array([dt.timedelta(seconds=i) for i in range(n)], pa.duration("s")),
        "money": pa.array(range(n)).cast(pa.decimal256(40, 3)),
        "none": pa.nulls(n),
    }
).replace_schema_metadata({"writer": "testdata/make/write_arrow.py", "empty": ""})
plain = pa.concat_tables([plain.slice(0, 10), plain.slice(10)])  # two record batches
file("plain.arrow", plain)
stream("plain.arrows", plain)
file("legacy.arrow", plain.drop_columns(["view"]), use_legacy_format=True)  # messages without the continuation marker
stream("legacy.arrows", plain.drop_columns(["view"]), use_legacy_format=True)

letters = pa.DictionaryArray.from_arrays(pa.array([0, 2, 1, None, 2], pa.int8()), ["alpha", "beta", "gamma"])
more = pa.DictionaryArray.from_arrays(pa.array([3, 0, 3, 1, 2], pa.int8()), ["alpha", "beta", "gamma", "delta"])
ordered = pa.DictionaryArray.from_arrays(pa.array([1, 1, 0, 0, 1], pa.int32()), pa.array([10.5, 20.5]), ordered=True)
dictionary = pa.table({"letter": pa.chunked_array([letters, letters]), "level": pa.chunked_array([ordered, ordered])})
file("dictionary.arrow", dictionary)
growing = pa.table({"letter": pa.chunked_array([letters, more])})
stream("dictionary-delta.arrows", growing, emit_dictionary_deltas=True)
stream("dictionary-replaced.arrows", growing)

nested = pa.table(
    {
        "list": pa.array([[1, 2], None, [], [3]], pa.list_(pa.int16())),
        "large": pa.array([["a"], [], None, ["b", None]], pa.large_list(pa.string())),
        "fixed": pa.array([[1.5, 2.5], None, [3.5, 4.5], [0, 0]], pa.list_(pa.float32(), 2)),
        "struct": pa.array(
            [{"a": 1, "b": {"c": "x", "d": [True]}}, None, {"a": None, "b": None}, {"a": 4, "b": {"c": None, "d": []}}],
            pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string()), ("d", pa.list_(pa.bool_()))]))]),
        ),
        "map": pa.array([[("k", 1)], [], None, [("l", 2), ("m", None)]], pa.map_(pa.string(), pa.int64())),
        "union": pa.UnionArray.from_dense(
            pa.array([0, 1, 0, 1], pa.int8()), pa.array([0, 0, 1, 1], pa.int32()), [pa.array([7, 8]), pa.array(["s", "t"])]
        ),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([3, 4], pa.int32()), pa.array(["same", "other"])),
    }
)
file("nested.arrow", nested)

bulky = pa.table({"n": pa.array(range(1000), pa.int64()), "s": pa.array(["again and again"] * 1000)})
file("zstd.arrow", bulky, compression="zstd")
file("lz4.arrow", bulky, compression="lz4")

wide = pa.table({f"column_{i:03d}": pa.array([i, None, -i], pa.int32() if i % 2 else pa.float64()) for i in range(200)})
wide = wide.cast(
    pa.schema([f.with_metadata({"unit": f"u{i % 5}"}) if i % 10 == 0 else f for i, f in enumerate(wide.schema)])
)
file("wide.arrow", wide)
file("no-batches.arrow", wide.select([0, 1, 2]).schema.empty_table())

flat = pa.table({"id": pa.array([1, 2, 3], pa.int32()), "name": pa.array(["one", None, "three"]), "x": [0.5, 1.5, 2.5]})
with warnings.catch_warnings():  # version 1 is deprecated
    warnings.simplefilter("ignore")
    pyarrow.feather.write_feather(flat, str(OUT / "v1.feather"), version=1)
    assert pyarrow.feather.read_table(str(OUT / "v1.feather")).equals(flat)

# Messages of their own, outside any file or stream.
with pa.OSFile(str(OUT / "tensor.message"), "wb") as sink:
    ipc.write_tensor(pa.Tensor.from_numpy(np.arange(12, dtype=np.float64).reshape(3, 4), dim_names=["y", "x"]), sink)
with pa.memory_map(str(OUT / "tensor.message")) as source:
    assert ipc.read_tensor(source).shape == (3, 4)
(OUT / "schema.message").write_bytes(plain.schema.serialize())
(OUT / "batch.message").write_bytes(flat.to_batches()[0].serialize())

for path in sorted(OUT.iterdir()):
    print(path.name, path.stat().st_size, "bytes")
