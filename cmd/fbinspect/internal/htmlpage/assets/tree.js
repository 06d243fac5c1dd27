// Rows that exist only while they can be seen, and the structure on the left.

const ROW = 20;
const TALLEST = 12e6; // browsers do not lay out much taller elements: longer lists scroll faster than one to one

class Rows {
  constructor(scroller, draw) {
    this.scroller = scroller;
    this.space = scroller.querySelector(".space");
    this.rows = scroller.querySelector(".rows");
    this.draw = draw;
    this.count = 0;
    scroller.addEventListener("scroll", () => this.later(), { passive: true });
    new ResizeObserver(() => { this.size(); this.later(); }).observe(scroller);
  }
  size() {
    this.total = this.count * ROW;
    this.shown = Math.min(this.total, TALLEST);
    this.space.style.height = this.shown + "px";
  }
  setCount(n) { this.count = n; this.size(); this.later(); }
  get height() { return this.scroller.clientHeight; }
  get page() { return Math.max(1, Math.floor(this.height / ROW) - 1); }
  get factor() { return this.shown > this.height && this.total > this.shown ? (this.total - this.height) / (this.shown - this.height) : 1; }
  later() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.now(); });
  }
  now() {
    const top = this.scroller.scrollTop * this.factor;
    this.first = Math.floor(top / ROW);
    const n = Math.ceil(this.height / ROW) + 1, list = document.createDocumentFragment();
    for (let i = this.first; i < Math.min(this.first + n, this.count); i++) list.append(this.draw(i));
    this.rows.replaceChildren(list);
    this.rows.style.transform = "translateY(" + (this.scroller.scrollTop - (top - this.first * ROW)) + "px)";
    if (this.seen) this.seen(top, this.height);
  }
  // show scrolls so that row i is seen, near the middle if it was not.
  show(i) {
    const top = this.scroller.scrollTop * this.factor;
    if (i * ROW < top || (i + 1) * ROW > top + this.height) {
      this.scroller.scrollTop = Math.max(0, i * ROW - this.height / 2 + ROW) / this.factor;
    }
    this.later();
  }
}

function element(tag, className, content) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (content !== undefined) e.textContent = content;
  return e;
}

// A node of the structure has a name, a few words, a range of bytes, and children that are made
// when it is opened. target is the object it stands for, span the span.
const MANY = 1000; // children of a list that are put into groups

function node(parent, name, fields) {
  return Object.assign({ parent, level: parent ? parent.level + 1 : 0, name, what: "", value: "", target: -1, span: -1, start: 0, end: 0, open: false, kids: null, make: null }, fields);
}

function grouped(parent, n, make) {
  if (n <= MANY) return Array.from({ length: n }, (_, i) => make(parent, i));
  return Array.from({ length: Math.ceil(n / MANY) }, (_, g) => {
    const from = g * MANY, to = Math.min(n, from + MANY);
    const group = node(parent, "[" + from + "…" + (to - 1) + "]", { group: from });
    group.make = () => Array.from({ length: to - from }, (_, i) => make(group, from + i));
    const a = make(group, from), b = make(group, to - 1);
    group.start = a.start;
    group.end = Math.max(a.start, b.inlineEnd ?? b.end);
    return group;
  });
}

function regionNode(parent, i) {
  const r = D.regions[i];
  const n = node(parent, r.name, { what: r.type || r.kind, start: r.offset, end: r.offset + r.length, span: r.object < 0 ? r.span : -1, region: i, target: r.object });
  n.value = thousands(r.length) + " bytes";
  if (r.object >= 0) {
    const root = rootOf(r.object);
    if (root >= 0) n.make = () => objectKids(n, root);
    n.inner = root;
  }
  return n;
}

// aim makes a node stand for what an offset leads to.
function aim(n, target) {
  n.target = target;
  if (target < -1 || target < 0 && D.left) { n.what = "not on this page"; return n; }
  if (target < 0) { n.value = "leads to nothing that can be read"; n.bad = true; return n; }
  n.what = text(O.what[target]);
  const inner = innerBuffer.get(target);
  if (inner !== undefined && rootOf(inner) >= 0) {
    n.inner = rootOf(inner);
    n.make = () => objectKids(n, n.inner);
    return n;
  }
  switch (O.kind[target]) {
  case STRING: {
    const s = find(target, KIND.text);
    n.what = "";
    n.value = s >= 0 ? text(S.value[s]) : '""';
    n.isText = true;
    break;
  }
  case VECTOR: {
    const s = find(target, KIND.elements);
    if (s >= 0) {
      const t = T[S.type[s]], count = S.size[s] / t.size;
      if (t.read !== "offset") n.value = Array.from({ length: Math.min(count, 6) }, (_, i) => read(S.type[s], starts[s] + i * t.size)).join(", ") + (count > 6 ? ", …" : "");
      n.make = () => grouped(n, count, (parent, i) => elementNode(parent, target, s, i));
    }
    break;
  }
  default:
    if (objectFields(target).length > 0) n.make = () => objectKids(n, target);
    else if (O.kind[target] === TABLE && S.target[find(target, KIND["vtable-offset"])] < 0) { n.value = "its vtable cannot be read"; n.bad = true; }
    else n.value = "{}";
  }
  return n;
}

function elementNode(parent, vector, s, i) {
  const t = T[S.type[s]], at = starts[s] + i * t.size;
  const n = node(parent, "[" + i + "]", { start: at, end: at + t.size, inlineEnd: at + t.size, span: s, index: i });
  if (byteAt(at) < 0) { n.what = "not on this page"; return n; }
  if (t.read !== "offset") { n.value = read(S.type[s], at); return n; }
  return aim(n, targetOf(vector, i, at));
}

const FIELDS = new Set(["scalar", "offset", "elements", "unknown-field"].map((k) => KIND[k]));

function objectFields(object) {
  return Array.from(spansOf(object)).filter((s) => FIELDS.has(S.kind[s])).sort((a, b) => S.id[a] - S.id[b] || a - b);
}

function objectKids(parent, object) {
  return objectFields(object).map((s) => {
    const n = node(parent, text(S.label[s]) || "(unknown field)", { start: starts[s], end: starts[s + 1], span: s });
    if (S.kind[s] === KIND.offset) return aim(n, S.target[s]);
    if (S.kind[s] === KIND.elements) {
      const t = T[S.type[s]], count = S.size[s] / t.size;
      n.value = "[" + Array.from({ length: Math.min(count, 8) }, (_, i) => read(S.type[s], starts[s] + i * t.size)).join(", ") + (count > 8 ? ", …" : "") + "]";
      return n;
    }
    n.value = S.value[s] >= 0 ? text(S.value[s]) : thousands(S.size[s]) + " bytes";
    return n;
  });
}

// What belongs together, a message with its prefix and its body, is a group named for it; padding
// in it stands folded behind the rest.
const regionNodes = [];
const stem = (name) => /^[^.[]*(\[\d+\])?/.exec(name)[0];
function bracket(parent, name, start, end, what) {
  const n = node(parent, name, { start, end, what, region: -1, kids: [], value: thousands(end - start) + " bytes" });
  n.make = () => n.kids;
  return n;
}
function padding(parent, regions) {
  const last = regions[regions.length - 1], n = bracket(parent, "padding", regions[0].offset, last.offset + last.length, regions.length + " places");
  n.value = thousands(regions.reduce((sum, r) => sum + r.length, 0)) + " bytes";
  return n;
}
const deeper = (n, parent) => {
  n.parent = parent;
  n.level = parent.level + 1;
  if (n.kids) for (const kid of n.kids) deeper(kid, n);
};

// series puts many parts that are numbered, and padding between them, into a row.
const FEW = 8;
function series(list) {
  const out = [];
  const isPad = (n) => n.region >= 0 && D.regions[n.region].kind === "padding" && n.name === "padding";
  for (let from = 0, to; from < list.length; from = to) {
    const name = /^(.*)\[\d+\]$/.exec(list[from].name)?.[1];
    let numbered = 0, end = from + 1;
    for (to = from; to < list.length && name !== undefined; to++) {
      if (list[to].name.startsWith(name + "[")) { numbered++; end = to + 1; } else if (!isPad(list[to])) break;
    }
    to = end;
    if (numbered < FEW) { out.push(...list.slice(from, to)); continue; }
    const kids = list.slice(from, to), number = (n) => n.name.slice(name.length + 1, -1);
    const all = bracket(null, name + "[" + number(kids[0]) + "…" + number(kids[kids.length - 1]) + "]", kids[0].start, kids[kids.length - 1].end, thousands(numbered) + " parts");
    const parts = kids.filter((n) => !isPad(n)), pads = kids.filter(isPad);
    all.kids = chunked(parts);
    if (pads.length) {
      const folded = padding(all, pads.map((n) => D.regions[n.region]));
      folded.kids = pads;
      all.kids.push(folded);
    }
    for (const n of all.kids) deeper(n, all);
    out.push(all);
  }
  return out;
}

// chunked puts the entries of a list of more than MANY into rows of so many.
function chunked(list) {
  if (list.length <= MANY) return list;
  return Array.from({ length: Math.ceil(list.length / MANY) }, (_, g) => {
    const kids = list.slice(g * MANY, (g + 1) * MANY), last = kids[kids.length - 1];
    const n = bracket(null, kids[0].name + " … " + last.name, kids[0].start, last.end, "");
    n.kids = kids;
    for (const kid of kids) deeper(kid, n);
    return n;
  });
}

function regionGroups() {
  const list = [];
  for (let from = 0, to; from < D.regions.length; from = to) {
    for (to = from + 1; to < D.regions.length && stem(D.regions[to].name) === stem(D.regions[from].name); to++);
    if (to === from + 1) { list.push(regionNodes[from] = regionNode(null, from)); continue; }
    const end = D.regions[to - 1].offset + D.regions[to - 1].length;
    const all = bracket(null, stem(D.regions[from].name), D.regions[from].offset, end, "");
    const isPad = (r) => r.kind === "padding";
    const pads = D.regions.slice(from, to).filter(isPad);
    const folded = pads.length > 1 ? padding(all, pads) : null;
    for (let i = from; i < to; i++) {
      const parent = folded && isPad(D.regions[i]) ? folded : all;
      parent.kids.push(regionNodes[i] = regionNode(parent, i));
      if (D.regions[i].type) all.what = D.regions[i].type;
    }
    if (folded) all.kids.push(folded);
    list.push(all);
  }
  return chunked(series(list));
}

const roots = regionGroups();
let visible = roots.slice();

function kidsOf(n) {
  if (!n.kids) n.kids = n.make ? n.make() : [];
  return n.kids;
}

function setOpen(n, open) {
  if (open === n.open || !n.make) return;
  const at = visible.indexOf(n);
  n.open = open;
  if (at < 0) return;
  if (open) {
    const list = [];
    const add = (m) => { for (const kid of kidsOf(m)) { list.push(kid); if (kid.open) add(kid); } };
    add(n);
    // In pieces: a call has room for so many arguments only.
    visible = visible.slice(0, at + 1).concat(list, visible.slice(at + 1));
  } else {
    let to = at + 1;
    while (to < visible.length && visible[to].level > n.level) to++;
    visible = visible.slice(0, at + 1).concat(visible.slice(to));
  }
  treeRows.setCount(visible.length);
}

// nodeOf returns the node that has a span, and opens what is above it.
function nodeOf(s, pos) {
  const r = regionAt(starts[s]);
  let n = regionNodes[r];
  let object = S.object[s];
  if (object < 0) return n;
  const chain = [];
  for (; object >= 0; object = O.parent[object]) chain.unshift(object);
  for (const o of chain) {
    if (n.target === o || n.inner === o || O.kind[o] === BUFFER || O.kind[o] === VTABLE) continue;
    const kid = kidFor(n, (k) => k.target === o, O.index[o]);
    if (!kid) return n;
    n = kid;
  }
  const index = S.kind[s] === KIND.elements ? Math.floor((pos - starts[s]) / T[S.type[s]].size) : -1;
  return kidFor(n, (k) => k.span === s && (k.index === undefined || k.index === index), index) || n;
}

function kidFor(n, fits, index) {
  let kids = kidsOf(n);
  if (kids.length && kids[0].group !== undefined) {
    if (index < 0) return null;
    kids = kidsOf(kids[Math.floor(index / MANY)] || kids[0]);
  }
  return kids.find(fits);
}

// reveal opens everything above a node.
function reveal(n) {
  const above = [];
  for (let p = n.parent; p; p = p.parent) above.unshift(p);
  for (const p of above) setOpen(p, true);
}

// nodeOfPath returns the node below n that the rest of a path leads to, as pathOf writes it.
function nodeOfPath(n, rest) {
  if (!rest) return n;
  const index = /^\[(\d+)\]/.exec(rest);
  if (index) {
    const i = Number(index[1]), kid = kidFor(n, (k) => k.index === i, i);
    return kid ? nodeOfPath(kid, rest.slice(index[0].length)) : null;
  }
  if (n.index !== undefined && !n.make) return n; // of a struct the path says more than the structure
  for (const kid of kidsOf(n)) {
    const step = (kid.name[0] === "[" ? "" : ".") + kid.name, next = rest[step.length];
    if (!rest.startsWith(step) || next !== undefined && next !== "." && next !== "[") continue;
    const found = nodeOfPath(kid, rest.slice(step.length));
    if (found) return found;
  }
  return null;
}

// nodesOfPath returns what a path leads to in each part: as faults and the status have it, with a
// part's name before it, or without the root.
function nodesOfPath(path) {
  const list = [];
  for (let r = 0; r < D.regions.length && list.length < MANY; r++) {
    const region = D.regions[r];
    if (region.object < 0) continue;
    const tries = ["." + path];
    if (path[0] === "." || path[0] === "[") tries.push(path);
    for (const root of [region.name, region.type, region.type.split(".").pop()]) {
      if (root && path.startsWith(root) && ".[".includes(path[root.length] ?? ".")) tries.push(path.slice(root.length));
    }
    for (const rest of tries.reverse()) {
      const n = nodeOfPath(regionNodes[r], rest);
      if (n) { list.push(n); break; }
    }
  }
  return list;
}
