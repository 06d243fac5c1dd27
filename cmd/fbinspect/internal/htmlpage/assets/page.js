// What a person sees and does.

const $ = (id) => document.getElementById(id);
const faulty = new Set(D.faults.map((f) => f.span));
const faultAt = new Set(); // the bytes at fault
for (const f of D.faults) for (let i = 0; i < Math.max(1, Math.min(f.size, 4096)); i++) faultAt.add(f.offset + i);
let selected = { start: 0, end: 0, span: -1, node: null, cursor: 0 };
const history_ = [];

const GROUPS = {
  head: ["size-prefix", "root-offset", "identifier", "length", "magic", "framing"],
  vtable: ["vtable-size", "table-size", "vtable-entry", "unknown-entry"],
  number: ["scalar", "elements", "unknown-field"],
  offset: ["offset", "vtable-offset"],
  text: ["text"],
  pad: ["padding", "terminator"],
  data: ["data", "index", "flatbuffer"],
  gap: ["gap", "trailing", "unknown", "left-out"],
};
const groupOf = D.kinds.map((k) => Object.keys(GROUPS).find((g) => GROUPS[g].includes(k)) || "data");

// The structure.

const treeRows = new Rows($("tree"), (i) => {
  const n = visible[i], row = element("div", "row");
  row.style.paddingLeft = 8 + n.level * 16 + "px";
  row.setAttribute("role", "treeitem");
  row.setAttribute("aria-level", n.level + 1);
  const kin = n.parent ? n.parent.kids : roots;
  row.setAttribute("aria-setsize", kin.length);
  row.setAttribute("aria-posinset", (n.group === undefined && n.index !== undefined ? n.index % MANY : kin.indexOf(n)) + 1);
  row.id = "row-" + i;
  row.dataset.row = i;
  if (n.make) row.setAttribute("aria-expanded", n.open);
  if (n === selected.node) { row.classList.add("selected"); row.setAttribute("aria-selected", "true"); }
  row.append(element("span", "twist", n.make ? (n.open ? "▾" : "▸") : ""));
  row.append(element("span", "name", n.name));
  if (isFaulty(n)) { row.classList.add("faulty"); row.append(" ", element("span", "badge", "fault")); }
  if (n.value) row.append(": ", element("span", "value" + (n.isText ? " text" : "") + (n.bad ? " fault" : ""), n.value.length > 200 ? n.value.slice(0, 200) + "…" : n.value));
  if (n.what) row.append("  ", element("span", "what", n.what));
  return row;
});

// The active row has a name for screen readers while it exists.
treeRows.seen = () => {
  const row = $("tree").querySelector(".selected");
  if (row) $("tree").setAttribute("aria-activedescendant", row.id); else $("tree").removeAttribute("aria-activedescendant");
};

// isFaulty reports whether a fault is at a node's own bytes, or for a part anywhere in it.
function isFaulty(n) {
  if (n.span >= 0 && faulty.has(n.span) && (n.index === undefined || D.faults.some((f) => f.offset >= n.start && f.offset < n.end))) return true;
  if (n.target >= 0 && n.region === undefined) for (const s of spansOf(n.target)) if (faulty.has(s) && S.kind[s] !== KIND.elements) return true;
  return n.region !== undefined && D.faults.some((f) => f.offset >= n.start && f.offset < n.end);
}

$("tree").addEventListener("click", (e) => {
  const row = e.target.closest(".row");
  if (!row) return;
  const n = visible[Number(row.dataset.row)];
  if (e.target.classList.contains("twist")) setOpen(n, !n.open);
  else selectNode(n);
});
$("tree").addEventListener("dblclick", (e) => {
  const row = e.target.closest(".row");
  if (row) { const n = visible[Number(row.dataset.row)]; setOpen(n, !n.open); }
});

// extent is the bytes that a node stands for: what it leads to, where it leads somewhere.
function extent(n) {
  if (n.target >= 0 && n.region === undefined) {
    const list = spansOf(n.target);
    if (list.length) {
      // An object's spans lie together, but for what another claimed within.
      let end = starts[list[0]];
      for (const s of list) if (starts[s] <= end) end = Math.max(end, starts[s + 1]); else break;
      return [starts[list[0]], end];
    }
  }
  return [n.start, n.end];
}

function selectNode(n) {
  const [start, end] = extent(n);
  select({ start, end, span: n.span >= 0 && n.target < 0 ? n.span : spanAt(start), node: n, cursor: start });
}

// selectAt selects the span at a position, and its node.
function selectAt(pos) {
  if (!S.size.length) return;
  pos = Math.max(0, Math.min(pos, D.size - 1));
  const s = spanAt(pos), n = nodeOf(s, pos);
  let start = starts[s], end = starts[s + 1];
  if (S.kind[s] === KIND.elements) {
    const size = T[S.type[s]].size;
    start += Math.floor((pos - start) / size) * size;
    end = start + size;
  }
  select({ start, end, span: s, node: n, cursor: pos });
}

function select(next) {
  selected = next;
  status(); // first: it may grow, and take room from both sides
  crumbs();
  inspect();
  if (next.node) {
    reveal(next.node);
    treeRows.show(visible.indexOf(next.node));
  }
  hexRows.show(Math.floor(next.cursor / wide));
  treeRows.later();
  drawMap();
  try { history.replaceState(null, "", "#0x" + next.cursor.toString(16)); } catch { /* not from a file */ }
}

// follow goes where the selected offset leads.
function follow() {
  const s = selected.span;
  let target = s >= 0 ? S.target[s] : -1;
  if (s >= 0 && S.kind[s] === KIND.elements && T[S.type[s]].read === "offset") {
    const i = Math.floor((selected.cursor - starts[s]) / 4);
    target = targetOf(S.object[s], i, starts[s] + 4 * i);
  }
  if (target < 0) return;
  history_.push(selected.cursor);
  selectAt(O.pos[target]);
}

// The bytes.

let wide = 16; // bytes of a row: eight where there is no room for more
const digits = Math.max(4, hexOf(D.size, 1).length);
const hexRows = new Rows($("hex"), (i) => {
  const row = element("div", "row"), at = i * wide, n = Math.min(wide, D.size - at);
  row.append(element("span", "at", hexOf(at, digits)), "  ");
  const chars = [];
  for (let j = 0; j < wide; j++) {
    const pos = at + j, b = j < n ? byteAt(pos) : -2;
    let c = "b" + (j === 7 ? " half" : "");
    if (j < n) {
      c += " k-" + groupOf[S.kind[spanAt(pos)]];
      if (pos >= selected.start && pos < selected.end) c += " s";
      if (pos === selected.cursor) c += " cursor";
      if (faultAt.has(pos)) c += " x";
    }
    const cell = element("span", c, b >= 0 ? hexOf(b, 2) : b === -1 ? "··" : "  ");
    const letter = element("span", "c" + c.slice(1).replace(" half", ""), b >= 32 && b < 127 ? String.fromCharCode(b) : b === -2 ? " " : "·");
    if (j < n) { cell.dataset.pos = pos; letter.dataset.pos = pos; }
    row.append(cell);
    chars.push(letter);
  }
  row.append("  ", ...chars);
  return row;
});
function fit() {
  const room = $("hex").clientWidth, letter = 8, now = room < (digits + 4 + 16) * letter + 16 * 24 + 24 ? 8 : 16;
  if (now !== wide || !hexRows.count) {
    wide = now;
    hexRows.setCount(Math.ceil(D.size / wide));
    hexRows.show(Math.floor(selected.cursor / wide));
  }
}
fit();
new ResizeObserver(fit).observe($("hex"));
treeRows.setCount(visible.length);

$("hex").addEventListener("click", (e) => {
  if (e.target.dataset.pos !== undefined) selectAt(Number(e.target.dataset.pos));
});
$("hex").addEventListener("dblclick", follow);
$("hex").addEventListener("mousemove", (e) => {
  if (e.target.dataset.pos !== undefined) e.target.title = describe(spanAt(Number(e.target.dataset.pos)), Number(e.target.dataset.pos));
});

function describe(s, pos) {
  const region = D.regions[regionAt(starts[s])];
  const parts = [D.kinds[S.kind[s]], spanPath(s) || region.name];
  let value = spanValue(s);
  if (S.kind[s] === KIND.elements) {
    const size = T[S.type[s]].size, i = Math.floor((pos - starts[s]) / size);
    parts[1] += "[" + i + "]";
    value = read(S.type[s], starts[s] + i * size);
  }
  return parts.join(" ") + (value ? " = " + value : "");
}

// crumbs shows what the selected node lies in, outermost first; each is a button that goes there.
function crumbs() {
  const chain = [];
  for (let n = selected.node; n; n = n.parent) if (n.group === undefined) chain.unshift(n);
  $("crumbs").firstElementChild.replaceChildren(...chain.map((n) => {
    const item = element("li"), go = element("button", "", n.name);
    go.type = "button";
    if (n === selected.node) go.setAttribute("aria-current", "true");
    go.onclick = () => { selectNode(n); $("tree").focus({ preventScroll: true }); };
    item.append(go);
    return item;
  }));
}

// inspect reads the bytes from the cursor on in each way in which they may be meant.
function inspect() {
  const list = $("inspector").lastElementChild, at = selected.cursor, rows = [];
  if (!$("inspector").open || !S.size.length) { list.replaceChildren(); return; }
  const has = (n) => { for (let i = 0; i < n; i++) if (byteAt(at + i) < 0) return false; return true; };
  const row = (name, ...value) => { const d = element("dd"); d.append(...value); const pair = element("div"); pair.append(element("dt", "", name), d); rows.push(pair); };
  row("offset", "0x" + hexOf(at) + " = " + at);
  for (const [name, n] of [["i8", 1], ["u8", 1], ["i16", 2], ["u16", 2], ["i32", 4], ["u32", 4], ["i64", 8], ["u64", 8], ["f32", 4], ["f64", 8]]) {
    row(name, has(n) ? readers[name](at) : "–");
  }
  const letters = [];
  for (let i = 0; i < 32 && byteAt(at + i) > 0; i++) letters.push(byteAt(at + i));
  row("text", letters.length ? JSON.stringify(new TextDecoder().decode(new Uint8Array(letters))) : "–");
  if (has(4)) {
    const to = at + u32(at);
    if (to === at || to >= D.size) row("as an offset", to === at ? "–" : "0x" + hexOf(to) + ", behind the end of the file");
    else {
      const go = element("button", "", "0x" + hexOf(to) + " " + describe(spanAt(to), to).slice(0, 60));
      go.type = "button";
      go.onclick = () => { history_.push(selected.cursor); selectAt(to); };
      row("as an offset", go);
    }
  }
  list.replaceChildren(...rows);
}
$("inspector").addEventListener("toggle", inspect);

const WORDS = {
  head: "lengths, identifiers", vtable: "vtable", number: "numbers", offset: "offsets", text: "text", pad: "padding", data: "data, indexes", gap: "reached by nothing (dotted line)",
};
$("legend").lastElementChild.append(...Object.keys(WORDS).map((g) => {
  const item = element("li");
  item.append(element("span", "k-" + g, g === "pad" ? "00" : "1c"), " " + WORDS[g]);
  return item;
}), (() => { const item = element("li"); item.append(element("span", "x", "7f"), " at fault (filled)"); return item; })(),
(() => { const item = element("li"); item.append("·· not on this page"); return item; })());

function status() {
  const s = selected.span, out = $("status");
  if (s < 0) { out.textContent = "Click a field or a byte; ? lists the keys."; return; }
  const at = selected.start;
  out.replaceChildren(element("b", "", "0x" + hexOf(at) + " (" + thousands(at) + ")"), ", " + thousands(selected.end - selected.start) + (selected.end - selected.start === 1 ? " byte: " : " bytes: "));
  out.append(describe(s, selected.cursor));
  if (S.object[s] >= 0) out.append(element("span", "what", "  in " + text(O.what[S.object[s]])));
  if (S.target[s] >= 0) {
    const go = element("button", "", "→ 0x" + hexOf(O.pos[S.target[s]]));
    go.title = "Follow (Enter)";
    go.onclick = follow;
    out.append(" ", go);
  }
  for (const f of D.faults) if (f.span === s && (f.offset >= selected.start && f.offset < selected.end || S.kind[s] !== KIND.elements)) {
    out.append(element("div", "fault", f.kind + ": " + f.message));
    if (f.hint) out.append(element("div", "", "What to make of it: " + f.hint));
  }
}

// The overview: a column of the file's bytes in the colours of their kinds.

let mapImage = null;
function paintMap() {
  const canvas = $("map"), ratio = devicePixelRatio || 1;
  const w = Math.max(1, Math.round(canvas.clientWidth * ratio)), h = Math.max(1, Math.round(canvas.clientHeight * ratio));
  canvas.width = w; canvas.height = h;
  const css = getComputedStyle(document.documentElement);
  const colours = groupOf.map((g) => css.getPropertyValue("--c-" + g).trim());
  mapImage = document.createElement("canvas");
  mapImage.width = w; mapImage.height = h;
  const ctx = mapImage.getContext("2d");
  const columns = 8, line = Math.max(1, Math.round(2 * ratio));
  for (let y = 0; y < h; y += line) {
    for (let x = 0; x < columns; x++) {
      const pos = Math.floor(((y / line) * columns + x) / (Math.ceil(h / line) * columns) * D.size);
      if (!S.size.length) continue;
      ctx.fillStyle = colours[S.kind[spanAt(pos)]];
      ctx.globalAlpha = byteAt(pos) > 0 ? 0.75 : 0.35;
      ctx.fillRect(x * w / columns, y, w / columns + 1, line);
    }
  }
  ctx.globalAlpha = 1;
  ctx.fillStyle = css.getPropertyValue("--bad").trim();
  for (const f of D.faults) ctx.fillRect(0, Math.min(h - 3 * ratio, f.offset / Math.max(1, D.size) * h - ratio), w, 3 * ratio);
  drawMap();
}
let seenTop = 0, seenHeight = 0;
hexRows.seen = (top, height) => { seenTop = top; seenHeight = height; drawMap(); };
function drawMap() {
  if (!mapImage || !mapImage.width) return;
  const canvas = $("map"), ctx = canvas.getContext("2d"), total = Math.max(1, hexRows.count * ROW), css = getComputedStyle(document.documentElement);
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  ctx.drawImage(mapImage, 0, 0);
  ctx.strokeStyle = css.getPropertyValue("--text").trim();
  ctx.lineWidth = 2;
  ctx.strokeRect(1, seenTop / total * canvas.height, canvas.width - 2, Math.max(4, Math.min(1, seenHeight / total) * canvas.height));
  ctx.fillStyle = css.getPropertyValue("--select-line").trim();
  ctx.fillRect(0, selected.start / Math.max(1, D.size) * canvas.height - 1, canvas.width, 3);
}
function mapGo(e) {
  const box = $("map").getBoundingClientRect();
  const part = Math.max(0, Math.min(1, (e.clientY - box.top) / box.height));
  hexRows.scroller.scrollTop = (part * hexRows.total - hexRows.height / 2) / hexRows.factor;
}
$("map").addEventListener("pointerdown", (e) => { $("map").setPointerCapture(e.pointerId); mapGo(e); });
$("map").addEventListener("pointermove", (e) => { if (e.buttons) mapGo(e); });
$("map").addEventListener("click", (e) => {
  const box = $("map").getBoundingClientRect();
  selectAt(Math.floor((e.clientY - box.top) / box.height * D.size));
});
new ResizeObserver(paintMap).observe($("map"));

// Search: by path (Model.subgraphs[0]), offset (0x1c, 28), bytes (1c 00, 1c00), field, value and text.

const MOST = 10000;
let hits = [], hit = -1;
function search(query) {
  hits = []; hit = -1;
  query = query.trim();
  if (!query) return;
  let m;
  if ((m = /^0x([0-9a-f]+)$/i.exec(query)) || (m = /^@(\d+)$/.exec(query))) {
    const pos = parseInt(m[1], query[0] === "@" ? 10 : 16);
    if (pos < D.size) hits = [pos];
    return;
  }
  if (/^[0-9a-f]{2}( +[0-9a-f]{2})+$/i.test(query)) { hits = bytesLike(query.split(/ +/).map((b) => parseInt(b, 16))); return; }
  const found = new Set();
  if (/[.[]/.test(query)) {
    for (const n of nodesOfPath(query)) hits.push(n);
    if (hits.length) return;
  }
  const lower = query.toLowerCase(), like = D.strings.map((s) => s.toLowerCase().includes(lower));
  for (let s = 0; s < S.size.length && hits.length < MOST; s++) {
    if (groupOf[S.kind[s]] === "vtable") continue;
    if (S.label[s] >= 0 && like[S.label[s]] || S.value[s] >= 0 && like[S.value[s]]) { hits.push(starts[s]); found.add(s); }
  }
  for (const r of D.regions) if ((r.name + " " + (r.type || "")).toLowerCase().includes(lower) && !hits.includes(r.offset)) hits.push(r.offset);
  for (const pos of bytesLike(Array.from(new TextEncoder().encode(query)))) if (!found.has(spanAt(pos)) && hits.length < MOST) hits.push(pos);
  hits.sort((a, b) => a - b);
  if (/^([0-9a-f]{2}){2,}$/i.test(query) && !hits.length) hits = bytesLike(query.match(/../g).map((b) => parseInt(b, 16)));
  // A number is first an offset, as the status prints it.
  if (/^\d{1,3}(,\d{3})+$|^\d+$/.test(query)) {
    const pos = Number(query.replaceAll(",", ""));
    if (pos < D.size) hits.unshift(pos);
  }
}
function bytesLike(want) {
  const list = [];
  for (const c of chunks) {
    for (let i = c.bytes.indexOf(want[0]); i >= 0 && list.length < MOST; i = c.bytes.indexOf(want[0], i + 1)) {
      let j = 1;
      while (j < want.length && byteAt(c.offset + i + j) === want[j]) j++;
      if (j === want.length) list.push(c.offset + i);
    }
  }
  return list;
}
function goHit(step) {
  if (!hits.length) return;
  hit = hit < 0 ? (step > 0 ? 0 : hits.length - 1) : (hit + step + hits.length) % hits.length;
  if (typeof hits[hit] === "number") selectAt(hits[hit]); else selectNode(hits[hit]);
  showHits();
}
function showHits() {
  const query = $("query").value.trim();
  $("hits").textContent = !query ? "" : !hits.length ? "none" : (hit + 1) + " of " + thousands(hits.length) + (hits.length >= MOST ? "+" : "");
}
let typing;
$("query").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => { search($("query").value); goHit(1); showHits(); }, 120);
});
$("search").addEventListener("submit", (e) => e.preventDefault());
$("query").addEventListener("keydown", (e) => {
  if (e.key === "Enter") {
    e.preventDefault();
    clearTimeout(typing);
    if (hit < 0) search($("query").value);
    goHit(e.shiftKey ? -1 : 1);
    showHits();
  } else if (e.key === "Escape") { $("query").value = ""; search(""); showHits(); $("tree").focus(); }
});
$("next").onclick = () => goHit(1);
$("previous").onclick = () => goHit(-1);

// Faults.

let currentFault = -1;
function goFault(step) {
  if (!D.faults.length) return;
  currentFault = currentFault < 0 ? (step > 0 ? 0 : D.faults.length - 1) : (currentFault + step + D.faults.length) % D.faults.length;
  showFault(currentFault);
}
const faultButtons = D.faults.slice(0, 1000).map((f, i) => {
  const b = element("button");
  b.type = "button";
  b.tabIndex = i ? -1 : 0; // one stop of the Tab key: arrows go from one to the next
  b.append(element("span", "kind", f.kind), " ", element("span", "at", "0x" + hexOf(f.offset)), " ", element("b", "", f.path || f.part), " ", f.message);
  b.onclick = () => showFault(i);
  return b;
});
function showFault(i) {
  currentFault = i;
  selectAt(D.faults[i].offset);
  for (const [j, b] of faultButtons.entries()) { b.setAttribute("aria-current", j === i); b.tabIndex = j === Math.min(i, faultButtons.length - 1) ? 0 : -1; }
  faultButtons[i]?.scrollIntoView({ block: "nearest" });
}
if (faultButtons.length) {
  const list = $("faults").querySelector("ol");
  list.replaceChildren(...faultButtons.map((b) => { const item = element("li"); item.append(b); return item; }));
  list.addEventListener("keydown", (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], to = faultButtons.indexOf(e.target) + step;
    if (!step || !faultButtons[to]) return;
    showFault(to);
    faultButtons[to].focus();
    e.preventDefault();
  });
}

// Keys.

function moveTree(step) {
  const at = visible.indexOf(selected.node), to = Math.max(0, Math.min(visible.length - 1, at < 0 ? 0 : at + step));
  if (visible[to]) selectNode(visible[to]);
}
$("tree").addEventListener("keydown", (e) => {
  const n = selected.node;
  switch (e.key) {
  case "ArrowDown": moveTree(1); break;
  case "ArrowUp": moveTree(-1); break;
  case "PageDown": moveTree(treeRows.page); break;
  case "PageUp": moveTree(-treeRows.page); break;
  case "Home": moveTree(-visible.length); break;
  case "End": moveTree(visible.length); break;
  case "ArrowRight": if (n) { if (n.make && !n.open) setOpen(n, true); else if (n.open) moveTree(1); } break;
  case "ArrowLeft": if (n) { if (n.open) setOpen(n, false); else if (n.parent) selectNode(n.parent); } break;
  default: return;
  }
  e.preventDefault();
});
$("hex").addEventListener("keydown", (e) => {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: wide, ArrowUp: -wide, PageDown: wide * hexRows.page, PageUp: -wide * hexRows.page, Home: -Infinity, End: Infinity }[e.key];
  if (step === undefined) return;
  selectAt(Math.max(0, Math.min(D.size - 1, selected.cursor + step)));
  e.preventDefault();
});
document.addEventListener("keydown", (e) => {
  if (e.target.tagName === "INPUT" || e.target.id === "divider" && e.key.startsWith("Arrow") || e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
  switch (e.key) {
  case "/": $("query").focus(); $("query").select(); break;
  case "n": goHit(1); break;
  case "N": goHit(-1); break;
  case "f": goFault(1); break;
  case "F": goFault(-1); break;
  case "t": theme(true); break;
  case "i": $("inspector").open = !$("inspector").open; break;
  case "l": $("legend").open = !$("legend").open; break;
  case "?": $("keys").showModal(); break;
  case "Enter": if (/BUTTON|SUMMARY/.test(e.target.tagName)) return; follow(); break;
  case "Backspace": if (history_.length) selectAt(history_.pop()); break;
  default: return;
  }
  e.preventDefault();
});
$("help").onclick = () => $("keys").showModal();

// Light and dark.

const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = null;
function theme(toggle) {
  if (toggle) chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = chosen || (dark.matches ? "dark" : "light");
  paintMap();
}
dark.addEventListener("change", () => theme(false));
$("theme").onclick = () => theme(true);

// The divider: side by side it moves to the sides, one above the other up and down.

const narrow = matchMedia("(max-width: 760px)");
function divide(percent) {
  percent = Math.round(Math.max(15, Math.min(85, percent)));
  $("structure").style.flexBasis = percent + "%";
  $("divider").setAttribute("aria-valuenow", percent);
}
function layOut() {
  $("divider").setAttribute("aria-orientation", narrow.matches ? "horizontal" : "vertical");
  $("divider").setAttribute("aria-label", narrow.matches ? "Height of the structure" : "Width of the structure");
}
narrow.addEventListener("change", layOut);
$("divider").addEventListener("pointerdown", (e) => {
  $("divider").setPointerCapture(e.pointerId);
  e.preventDefault();
});
$("divider").addEventListener("pointermove", (e) => {
  const box = document.querySelector("main").getBoundingClientRect();
  if (e.buttons) divide(narrow.matches ? (e.clientY - box.top) / box.height * 100 : (e.clientX - box.left) / box.width * 100);
});
$("divider").addEventListener("keydown", (e) => {
  const step = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2, Home: -100, End: 100 }[e.key];
  if (!step) return;
  divide(Number($("divider").getAttribute("aria-valuenow")) + step);
  e.preventDefault();
});

// The start.

layOut();
for (const id of ["inspector", "legend"]) $(id).open = !narrow.matches && innerHeight > 500;
if ($("info") && (narrow.matches || D.faults.length || innerHeight < 700)) $("info").open = false;
theme(false);
status();
if (roots.length === 1 || D.regions.length < 4) for (const n of roots) setOpen(n, true);
{
  const at = /^#0x([0-9a-f]+)$/i.exec(location.hash);
  if (at) selectAt(parseInt(at[1], 16));
  else if (D.faults.length) showFault(0);
}
$("tree").focus({ preventScroll: true });
performance.mark("usable");
