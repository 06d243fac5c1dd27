"""Writes what a version of GDAL, in pyogrio, writes: three points, with and without an index."""
import sys

import numpy as np
import pyogrio.raw

out = sys.argv[1]
points = np.array([b"\x01\x01\x00\x00\x00" + np.array([i, i + 0.5]).tobytes() for i in range(3)], dtype=object)
for index in (False, True):
    pyogrio.raw.write(
        f"{out}{'-indexed' if index else ''}.fgb", points, [np.array([1, 2, 3]), np.array(["x", "yy", "z"], dtype=object)], ["n", "name"],
        geometry_type="Point", crs="EPSG:4326", driver="FlatGeobuf", SPATIAL_INDEX="YES" if index else "NO",
    )
