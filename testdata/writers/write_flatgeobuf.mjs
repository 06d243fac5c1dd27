// Writes what a version of npm flatgeobuf writes: points and a polygon.
import { writeFileSync } from "node:fs";
import * as module from "flatgeobuf/lib/mjs/geojson.js";

const out = process.argv[2];
const feature = (type, coordinates, n) => ({ type: "Feature", properties: { n, name: "p" + n }, geometry: { type, coordinates } });
const features = [feature("Point", [1, 2], 1), feature("Point", [3, 4], 2), feature("Polygon", [[[0, 0], [1, 0], [1, 1], [0, 0]]], 3)];
writeFileSync(`${out}.fgb`, module.serialize({ type: "FeatureCollection", features }));
