// Writes testdata/flatgeobuf/js-*.fgb with the flatgeobuf package, and reads each back with it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { geojson } from 'flatgeobuf';

const out = new URL('../flatgeobuf/', import.meta.url);
mkdirSync(out, { recursive: true });

const feature = (type, coordinates, properties) => ({ type: 'Feature', properties, geometry: { type, coordinates } });

async function write(name, features) {
  const bytes = geojson.serialize({ type: 'FeatureCollection', features }, 4326);
  let count = 0;
  for await (const f of geojson.deserialize(bytes)) {
    if (f.geometry.type !== features[count].geometry.type) throw new Error(`${name}: feature ${count}`);
    count++;
  }
  if (count !== features.length) throw new Error(`${name}: ${count} of ${features.length} features`);
  writeFileSync(new URL(name, out), bytes);
  console.log(`${name}: ${bytes.length} bytes, ${count} features`);
}

await write('js-points.fgb', Array.from({ length: 25 }, (_, i) => feature('Point', [i, -i / 2], {
  id: i,
  share: i / 25,
  name: i % 5 === 4 ? '' : `spot ${i}`,
  open: i % 2 === 0,
})));

const square = (x, y, s) => [[x, y], [x + s, y], [x + s, y + s], [x, y + s], [x, y]];
await write('js-mixed.fgb', [
  feature('Polygon', [square(0, 0, 4), square(1, 1, 1)], { id: 1 }),
  feature('MultiPolygon', [[square(0, 0, 1)], [square(3, 3, 1)]], { id: 2 }),
  feature('LineString', [[0, 0], [1, 2], [3, 4]], { id: 3 }),
  feature('MultiPoint', [[5, 5], [6, 6]], { id: 4 }),
]);
