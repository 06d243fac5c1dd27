"use strict";
// What the file holds: its bytes, the spans they are cut into, and the objects these belong to.

document.documentElement.classList.remove("static");
const D = JSON.parse(document.getElementById("data").textContent);
// unpack makes a column of its numbers: several equal ones are [number, how many].
function unpack(column) {
  let n = 0, at = 0;
  for (const x of column) n += typeof x === "number" ? 1 : x[1];
  const list = new Float64Array(n);
  for (const x of column) {
    if (typeof x === "number") list[at++] = x;
    else { list.fill(x[0], at, at + x[1]); at += x[1]; }
  }
  return list;
}

for (const table of [D.spans, D.objects]) for (const name in table) table[name] = unpack(table[name]);
const S = D.spans, O = D.objects, T = D.types;
const KIND = Object.fromEntries(D.kinds.map((name, i) => [name, i]));
const BUFFER = 0, TABLE = 1, VTABLE = 2, VECTOR = 3, STRING = 4, STRUCT = 5; // kinds of objects

// Spans lie one after the other: their positions are the sums of the sizes before them.
const starts = new Float64Array(S.size.length + 1);
for (let i = 0; i < S.size.length; i++) starts[i + 1] = starts[i] + S.size[i];

const chunks = D.bytes.map((c) => {
  const text = atob(c.base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return { offset: c.offset, end: c.offset + bytes.length, bytes };
});
D.bytes = null;

// last returns the index of the last item of a sorted list that is at most x.
function last(list, x, key) {
  let lo = 0, hi = list.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (key(list[mid]) <= x) lo = mid + 1; else hi = mid;
  }
  return lo - 1;
}

let recent = chunks[0];

// byteAt returns the byte at a position, -1 where the page does not have it.
function byteAt(pos) {
  if (!recent || pos < recent.offset || pos >= recent.end) {
    const i = last(chunks, pos, (c) => c.offset);
    if (i < 0 || pos >= chunks[i].end) return -1;
    recent = chunks[i];
  }
  return recent.bytes[pos - recent.offset];
}

function spanAt(pos) {
  let lo = 0, hi = S.size.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (starts[mid + 1] <= pos) lo = mid + 1; else hi = mid;
  }
  return Math.min(lo, S.size.length - 1);
}

function regionAt(pos) { return Math.max(0, last(D.regions, pos, (r) => r.offset)); }

// view returns n bytes from pos on, for reading numbers.
function view(pos, n) {
  const b = new DataView(new ArrayBuffer(n));
  for (let i = 0; i < n; i++) b.setUint8(i, Math.max(0, byteAt(pos + i)));
  return b;
}

function u32(pos) { return view(pos, 4).getUint32(0, true); }

const shortFloat = (x) => { // the shortest digits that give the same 32-bit float
  for (let p = 6; p < 9; p++) {
    const text = Number(x.toPrecision(p));
    if (Math.fround(text) === x) return String(text);
  }
  return String(x);
};

const readers = {
  bool: (p) => (byteAt(p) === 0 ? "false" : "true"),
  u8: (p) => String(byteAt(p)),
  i8: (p) => String(view(p, 1).getInt8(0)),
  u16: (p) => String(view(p, 2).getUint16(0, true)),
  i16: (p) => String(view(p, 2).getInt16(0, true)),
  u32: (p) => String(u32(p)),
  i32: (p) => String(view(p, 4).getInt32(0, true)),
  u64: (p) => String(view(p, 8).getBigUint64(0, true)),
  i64: (p) => String(view(p, 8).getBigInt64(0, true)),
  f32: (p) => shortFloat(view(p, 4).getFloat32(0, true)),
  f64: (p) => String(view(p, 8).getFloat64(0, true)),
  offset: (p) => "+" + u32(p),
};

// read returns the text of a value of a type at a position.
function read(type, pos) {
  const t = T[type];
  if (t.read === "struct") return "{" + t.fields.map((f) => f.name + ": " + read(f.type, pos + f.offset)).join(", ") + "}";
  if (t.read === "array") {
    const size = T[t.elem].size, n = Math.min(t.len, 16);
    return "[" + Array.from({ length: n }, (_, i) => read(t.elem, pos + i * size)).join(", ") + (t.len > n ? ", …" : "") + "]";
  }
  const text = readers[t.read](pos);
  return t.enum && t.enum[text] ? text + " (" + t.enum[text] + ")" : text;
}

// Which spans each object has, and which objects start at a position.
const spansOf = (() => {
  const first = new Int32Array(O.pos.length + 1);
  for (const o of S.object) if (o >= 0) first[o + 1]++;
  for (let i = 0; i < O.pos.length; i++) first[i + 1] += first[i];
  const list = new Int32Array(first[O.pos.length]), next = first.slice();
  for (let i = 0; i < S.object.length; i++) if (S.object[i] >= 0) list[next[S.object[i]]++] = i;
  return (o) => list.subarray(first[o], first[o + 1]);
})();

const objectsAt = new Map();
const innerBuffer = new Map(); // of a vector that holds a nested buffer
for (let o = 0; o < O.pos.length; o++) {
  if (O.kind[o] === BUFFER) {
    if (O.parent[o] >= 0) innerBuffer.set(O.parent[o], o);
    continue;
  }
  if (O.kind[o] === VTABLE) continue;
  const at = objectsAt.get(O.pos[o]);
  if (at) at.push(o); else objectsAt.set(O.pos[o], [o]);
}

// targetOf returns the object that an element at pos leads to, -1 for none.
function targetOf(vector, index, pos) {
  const at = objectsAt.get(pos + u32(pos));
  if (!at) return -1;
  return at.find((o) => O.parent[o] === vector && O.index[o] === index) ?? at.find((o) => O.kind[o] !== VECTOR) ?? -1;
}

// rootOf returns the root table of a buffer, -1 where it is not sound.
function rootOf(buffer) {
  for (const s of spansOf(buffer)) if (S.kind[s] === KIND["root-offset"]) return S.target[s];
  return -1;
}

function find(object, kind) {
  for (const s of spansOf(object)) if (S.kind[s] === kind) return s;
  return -1;
}

const text = (i) => (i < 0 ? "" : D.strings[i]);

// pathOf returns the path of an object, as errors have it.
function pathOf(object) {
  const steps = [];
  let o = object, top = object;
  for (; o >= 0; o = O.parent[o]) {
    top = o;
    if (O.parent[o] < 0 || O.kind[o] === BUFFER || O.kind[o] === VTABLE) continue;
    if (O.index[o] >= 0) steps.push("[" + O.index[o] + "]");
    else if (O.label[o] >= 0) steps.push("." + text(O.label[o]));
  }
  const r = D.regions[regionAt(O.pos[top])];
  return (r.type || r.name).split(".").pop() + steps.reverse().join("");
}

function spanPath(s) {
  if (S.object[s] < 0) return "";
  const label = text(S.label[s]), path = pathOf(S.object[s]);
  return label ? path + (label[0] === "[" ? "" : ".") + label : path;
}

function spanValue(s) {
  const kind = S.kind[s];
  if (S.value[s] >= 0) return text(S.value[s]);
  if (kind === KIND.length || kind === KIND["size-prefix"]) return S.size[s] === 8 ? readers.u64(starts[s]) : readers.u32(starts[s]);
  if (kind === KIND["vtable-size"] || kind === KIND["table-size"]) return readers.u16(starts[s]);
  if (kind === KIND.offset || kind === KIND["root-offset"]) return "+" + (S.size[s] === 8 ? readers.u64(starts[s]) : readers.u32(starts[s]));
  if (kind === KIND["vtable-offset"]) return String(-Number(readers.i32(starts[s])));
  return "";
}

const hexOf = (n, width = 8) => n.toString(16).padStart(width, "0");
const thousands = (n) => n.toLocaleString("en-US");
