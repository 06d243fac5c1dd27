// Reads buffers into the objects that flatc generated, and packs them again. Input
// and output are those of objects.py.

import { readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Builder, ByteBuffer } from 'flatbuffers';
import ts from 'typescript';

const bytes = (text) => Uint8Array.from(Buffer.from(text.slice(1), 'hex'));

// Types are taken out, and not checked.
function compile(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (name.endsWith('.ts')) {
      const { outputText } = ts.transpileModule(readFileSync(join(folder, name), 'utf8'), {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      writeFileSync(join(folder, name.replace(/ts$/, 'js')), outputText);
    }
  }
}

const roots = [];
for (let i = 2; i < process.argv.length; i += 2) {
  const [folder, root] = process.argv.slice(i, i + 2);
  compile(folder);
  const path = root.split('.');
  const name = path.pop();
  try {
    const module = await import(pathToFileURL(join(folder, ...path, `${name.toLowerCase()}.js`)));
    roots.push((bb) => module[name][`getRootAs${name}`](bb));
  } catch (error) {
    // Now and then generated code imports from a folder too far up.
    if (error.code !== 'ERR_MODULE_NOT_FOUND') {
      throw error;
    }
    roots.push(null);
  }
}

function pack(root, prefixed, force, identifier, data) {
  const owned = root(new ByteBuffer(bytes(data))).unpack();
  const builder = new Builder(1);
  builder.forceDefaults(force === '1');
  const id = identifier === 'x' ? undefined : Buffer.from(bytes(identifier)).toString();
  builder.finish(owned.pack(builder), id, prefixed === '1');
  return builder.asUint8Array();
}

const results = [];
for (const line of readFileSync(0, 'utf8').trimEnd().split('\n')) {
  const [which, prefixed, force, identifier, data] = line.split(' ');
  const buffer = roots[which] === null ? new Uint8Array() : pack(roots[which], prefixed, force, identifier, data);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(buffer.length);
  results.push(length, buffer);
}
const all = Buffer.concat(results);
for (let at = 0; at < all.length; ) {
  at += writeSync(1, all, at);
}
