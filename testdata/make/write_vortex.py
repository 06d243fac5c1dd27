"""Writes testdata/vortex/*.vortex with the vortex-data package, and reads each back with it."""

import datetime as dt
import decimal
import pathlib

import numpy as np
import pyarrow as pa
import vortex as vx

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "vortex"
OUT.mkdir(exist_ok=True)


def write(name, table):
    path = OUT / name
    path.unlink(missing_ok=True)
    vx.io.write(table, str(path))
    back = vx.open(str(path)).to_arrow().read_all()
    assert back.num_rows == table.num_rows, (name, back.num_rows)
    assert back.schema.names == table.schema.names, name
    # The reader may give views where plain strings were written, so cast before comparing.
    for field in table.schema:
        want, got = table[field.name].combine_chunks(), back[field.name].combine_chunks()
        assert got.cast(field.type).equals(want) or got.to_pylist() == want.to_pylist(), (name, field)
    print(f"{name}: {path.stat().st_size} bytes, {back.num_rows} rows, {back.num_columns} columns")


# Forty harbour calls: a column of every kind the format names, some with nulls.
n = 40
day = dt.date(2024, 2, 28)
types = pa.table(
    {
        "id": pa.array(range(1, n + 1), pa.uint64()),
        "berth": pa.array([i % 7 - 3 for i in range(n)], pa.int8()),
        "tons": pa.array([None if i % 9 == 4 else 900 + 37 * i for i in range(n)], pa.int32()),
        "draught": pa.array([2.5 + i / 8 for i in range(n)], pa.float32()),
        "fee": pa.array([None if i % 11 == 0 else 1e3 / (i + 3) for i in range(n)], pa.float64()),
        "name": pa.array([f"Ship «{i:03d}» of a name too long to be kept inline" for i in range(n)], pa.string()),
        "flag": pa.array([None if i % 5 == 0 else ["NO", "PT", "GR"][i % 3] for i in range(n)], pa.string()),
        "papers": pa.array([bytes([i, 255 - i, 0]) * (i % 4) for i in range(n)], pa.binary()),
        "pilot": pa.array([None if i % 6 == 5 else i % 2 == 0 for i in range(n)], pa.bool_()),
        "day": pa.array([day + dt.timedelta(days=i) for i in range(n)], pa.date32()),
        "at": pa.array(
            [None if i == 3 else dt.datetime(2024, 2, 28, 6, i, 30, 250 * i, dt.timezone.utc) for i in range(n)],
            pa.timestamp("us", tz="UTC"),
        ),
        "due": pa.array([decimal.Decimal(i * 1234 - 9999).scaleb(-2) for i in range(n)], pa.decimal128(12, 2)),
        "place": pa.array(
            [None if i % 8 == 7 else {"lat": 60 + i / 10, "lon": 5 - i / 10, "quay": f"Q{i % 4}"} for i in range(n)],
            pa.struct([("lat", pa.float64()), ("lon", pa.float64()), ("quay", pa.string())]),
        ),
        "crew": pa.array(
            [None if i % 10 == 9 else [f"hand {j}" for j in range(i % 4)] for i in range(n)], pa.list_(pa.string())
        ),
        "nothing": pa.nulls(n),
    }
)
write("types.vortex", types)

# Instruments read for long: many columns, and so many rows that the writer, which wants about 1 MiB of
# values in a chunk, cuts the 8-byte columns into several. The values are such that they take little room.
rows, columns = 2 * 131072 + 5000, 110
i = np.arange(rows, dtype=np.int64)


def instrument(c):
    kind = c % 5
    if kind == 0:
        return pa.array(np.full(rows, c, np.int64))
    if kind == 1:
        return pa.array(c + i * (c + 1))
    if kind == 2:
        return pa.array((i // 32768 + c) % 5)
    if kind == 3:
        return pa.array((i // 65536 % 3).astype(np.float64) + c)
    if c == 4:
        return pa.array(i // 8192 % 2 == 0, mask=i // 65536 == 1)  # with nulls, and one bit a value
    return pa.array(np.datetime64("2024-01-01", "s") + i // 16384)


wide = pa.table({f"instrument_{c:03d}": instrument(c) for c in range(columns)})
write("wide.vortex", wide)

# A schema and no rows.
write("empty.vortex", types.schema.empty_table())
# One column, one row: close to the smallest file there can be.
write("one.vortex", pa.table({"x": pa.array([42], pa.int32())}))
