// Does what scripts say with the JavaScript builder. See script_test.go for the calls.
//
// Reads the scripts from standard input, one after the other, and writes each
// buffer with its length before it, a little-endian uint32.

import { readFileSync, writeSync } from 'node:fs';
import { Builder } from 'flatbuffers';

const sizes = { bool: 1, i8: 1, u8: 1, i16: 2, u16: 2, i32: 4, u32: 4, i64: 8, u64: 8, f32: 4, f64: 8 };
const names = {
  bool: 'Int8', i8: 'Int8', u8: 'Int8', i16: 'Int16', u16: 'Int16', i32: 'Int32', u32: 'Int32',
  i64: 'Int64', u64: 'Int64', f32: 'Float32', f64: 'Float64',
};

const view = new DataView(new ArrayBuffer(8));

function number(type, text) {
  switch (type) {
    case 'f32':
      view.setUint32(0, Number(text));
      return view.getFloat32(0);
    case 'f64':
      view.setBigUint64(0, BigInt(text));
      return view.getFloat64(0);
    case 'i64':
    case 'u64':
      return BigInt(text);
  }
  return Number(text);
}

const add = (b, type, text) => b['add' + names[type]](number(type, text));

// Writes a struct from its last part to its first, as generated code does.
function structure(b, size, align, parts) {
  b.prep(align, size);
  for (const part of parts.toReversed()) {
    const [type, text] = part.split(':');
    if (type === 'pad') {
      b.pad(Number(text));
    } else {
      b['write' + names[type]](number(type, text));
    }
  }
  return b.offset();
}

// Cuts the parts of structs apart, which a "/" each precedes.
function split(words) {
  const structs = [];
  for (const word of words) {
    if (word === '/') {
      structs.push([]);
    } else {
      structs.at(-1).push(word);
    }
  }
  return structs;
}

function vector(b, way, type, values) {
  if (way === 1 && type === 'u8') {
    return b.createByteVector(Uint8Array.from(values, Number));
  }
  b.startVector(sizes[type], values.length, sizes[type]);
  for (const text of values.toReversed()) {
    add(b, type, text);
  }
  return b.endVector();
}

const bytes = (text) => Uint8Array.from(Buffer.from(text.slice(1), 'hex'));
const text = (word) => Buffer.from(bytes(word)).toString('utf8');

// The shared empty string is 0 to this builder, which then means "not there".
const string = (b, shared, s) => (shared && s !== '' ? b.createSharedString(s) : b.createString(s));

function run(lines, write) {
  const outer = [];
  let b = null;
  let ids = null;
  let used = null;
  let result = new Uint8Array();
  for (const line of lines) {
    const [call, ...w] = line.split(' ');
    switch (call) {
      case 'buffer':
        outer.push([b, ids]);
        if (used !== null && Number(w[0]) % 2 === 0) {
          b = used; // builders can be used again
          used = null;
          b.clear();
        } else {
          b = new Builder(Number(w[0]));
        }
        ids = [];
        b.forceDefaults(w[1] === '1');
        break;
      case 'string':
        ids.push(string(b, w[0] === '1', text(w[1])));
        break;
      case 'bytes':
        ids.push(b.createByteVector(bytes(w[0])));
        break;
      case 'nest':
        ids.push(b.createByteVector(result));
        break;
      case 'vector':
        ids.push(vector(b, Number(w[0]), w[1], w.slice(2)));
        break;
      case 'offsets':
        b.startVector(4, w.length, 4);
        for (const word of w.toReversed()) {
          if (word === '-') {
            b.addInt32(0);
          } else {
            b.addOffset(ids[word]);
          }
        }
        ids.push(b.endVector());
        break;
      case 'structs': {
        const [size, align] = [Number(w[1]), Number(w[2])];
        const structs = split(w.slice(3));
        b.startVector(size, structs.length, align);
        for (const parts of structs.toReversed()) {
          structure(b, size, align, parts);
        }
        ids.push(b.endVector());
        break;
      }
      case 'lone':
        ids.push(structure(b, Number(w[0]), Number(w[1]), w.slice(3)));
        break;
      case 'table':
        b.startObject(Number(w[0]));
        break;
      case 'add':
        b['addField' + names[w[1]]](Number(w[0]), number(w[1], w[2]), number(w[1], w[3]));
        break;
      case 'set':
        b['addField' + names[w[1]]](Number(w[0]), number(w[1], w[2]), null);
        break;
      case 'struct':
        b.addFieldStruct(Number(w[0]), structure(b, Number(w[1]), Number(w[2]), w.slice(4)), 0);
        break;
      case 'offset':
        b.addFieldOffset(Number(w[0]), ids[w[1]], 0);
        break;
      case 'end':
        ids.push(b.endObject());
        break;
      case 'need':
        b.requiredField(ids.at(-1), 4 + 2 * Number(w[0]));
        break;
      case 'finish': {
        const identifier = w[2] === 'x' ? undefined : text(w[2]);
        if (w[1] === '1') {
          b.finishSizePrefixed(ids[w[0]], identifier);
        } else {
          b.finish(ids[w[0]], identifier);
        }
        result = b.asUint8Array().slice();
        used = b;
        [b, ids] = outer.pop();
        if (b === null) {
          write(result);
        }
        break;
      }
      default:
        throw new Error(`no such call: ${line}`);
    }
  }
}

const results = [];
run(readFileSync(0, 'utf8').trimEnd().split('\n'), (buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(buffer.length);
  results.push(length, buffer);
});
const all = Buffer.concat(results);
for (let at = 0; at < all.length; ) {
  at += writeSync(1, all, at);
}
