"""Writes testdata/flatgeobuf/gdal-*.fgb with GDAL through pyogrio, and reads each back with it."""

import datetime as dt
import pathlib
import warnings

import numpy as np
import pyarrow as pa
import pyogrio

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "flatgeobuf"
OUT.mkdir(exist_ok=True)
warnings.filterwarnings("ignore", "'crs' was not provided")


def wkb(kind, *body):
    return b"\x01" + int(kind).to_bytes(4, "little") + b"".join(body)


def u32(n):
    return int(n).to_bytes(4, "little")


def xy(*numbers):
    return np.array(numbers, "<f8").tobytes()


def ring(points):
    return u32(len(points)) + b"".join(xy(*p) for p in points)


def square(x, y, side):
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side), (x, y)]


def point(x, y):
    return wkb(1, xy(x, y))


def polygon(*rings):
    return wkb(3, u32(len(rings)), *map(ring, rings))


def write(name, table, geometry_type, index, crs="EPSG:4326", **options):
    path = OUT / name
    path.unlink(missing_ok=True)
    pyogrio.raw.write_arrow(
        table,
        str(path),
        driver="FlatGeobuf",
        geometry_name="wkb_geometry",
        geometry_type=geometry_type,
        crs=crs,
        layer=options.pop("layer", "layer"),
        layer_options={"SPATIAL_INDEX": "YES" if index else "NO", **options},
    )
    count = pyogrio.read_info(str(path), force_feature_count=True)["features"]
    assert count == table.num_rows, (name, count)
    print(f"{name}: {path.stat().st_size} bytes, {count} features")


n = 60
points = [point(i * 7 % 360 - 180, i * 13 % 170 - 85) for i in range(n)]
properties = pa.table(
    {
        "flag": pa.array([None if i % 9 == 0 else i % 2 == 0 for i in range(n)], pa.bool_()),
        "small": pa.array([i - 30 for i in range(n)], pa.int16()),
        "whole": pa.array([None if i % 4 == 0 else i * 1000003 for i in range(n)], pa.int32()),
        "large": pa.array([i << 40 for i in range(n)], pa.int64()),
        "single": pa.array([i / 3 for i in range(n)], pa.float32()),
        "double": pa.array([i / 7 for i in range(n)], pa.float64()),
        "name": pa.array([None if i % 11 == 0 else f"Þing {i}" for i in range(n)], pa.string()),
        "bytes": pa.array([bytes([i, 0, 255]) for i in range(n)], pa.binary()),
        "at": pa.array([dt.datetime(2024, 1, 1, i % 24) for i in range(n)], pa.timestamp("ms")),
        "day": pa.array([dt.date(2024, 1, 1 + i % 28) for i in range(n)], pa.date32()),
        "wkb_geometry": pa.array(points, pa.binary()),
    }
)
write("gdal-points-indexed.fgb", properties, "Point", True, TITLE="Sixty points", DESCRIPTION="With an R-tree of two levels")
write("gdal-points.fgb", properties, "Point", False)
write("gdal-points-no-properties.fgb", properties.select(["wkb_geometry"]), "Point", True, crs=None)

shapes = [polygon(square(i * 3, i, 2), square(i * 3 + 0.5, i + 0.5, 1)) for i in range(12)]
polygons = pa.table({"id": pa.array(range(12), pa.int32()), "wkb_geometry": pa.array(shapes, pa.binary())})
write("gdal-polygons-indexed.fgb", polygons, "Polygon", True)

line = wkb(2, u32(3), xy(0, 0, 1, 1, 2, 0))
line_z = wkb(1002, u32(2), xy(0, 0, 5, 1, 1, 6))
parts = wkb(6, u32(2), polygon(square(0, 0, 1)), polygon(square(5, 5, 1)))
mixed = [point(1, 2), line, polygon(square(0, 0, 3)), parts, wkb(7, u32(2), point(9, 9), line), wkb(4, u32(2), point(0, 1), point(2, 3)), None]
mixed = pa.table({"id": pa.array(range(len(mixed)), pa.int32()), "wkb_geometry": pa.array(mixed, pa.binary())})
write("gdal-mixed.fgb", mixed, "Unknown", False)
lines = pa.table({"wkb_geometry": pa.array([line_z, line_z], pa.binary())})
write("gdal-lines-z.fgb", lines, "LineString Z", False)

write("gdal-empty.fgb", properties.slice(0, 0), "Point", False)
