"use strict";
// The page as a program: what is dropped on it is read by a worker, which makes the page of the
// file; that page stands in a frame of an origin of its own, from which nothing reaches this one.

const $ = (id) => document.getElementById(id);
const LARGEST = 1 << 30; // bytes: the worker holds the file and its page in memory
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

let worker = null, ready = null, task = 0, frame = null, file = null, schemas = [];

function say(text, bad) {
  $("said").textContent = text;
  $("said").classList.toggle("bad", !!bad);
}

// show puts the page of a file, or what there is to say, below the bar.
function show(page) {
  if (frame) frame.remove();
  frame = null;
  $("drop").hidden = !!page;
  if (!page) return;
  frame = document.createElement("iframe");
  frame.title = "The page of " + file.name;
  frame.setAttribute("sandbox", "allow-scripts");
  frame.srcdoc = page;
  document.querySelector("main").append(frame);
}

const module_ = (async () => {
  const text = $("wasm").textContent, list = [];
  $("wasm").remove();
  const each = 4 << 18; // characters: four are three bytes
  for (let i = 0; i < text.length; i += each) {
    const part = atob(text.slice(i, i + each)), b = new Uint8Array(part.length);
    for (let j = 0; j < part.length; j++) b[j] = part.charCodeAt(j);
    list.push(b);
  }
  const stream = new Blob(list).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }));
})();

// start makes a worker that has the program.
function start() {
  const url = URL.createObjectURL(new Blob([$("exec").textContent, "\n", $("worker").textContent], { type: "text/javascript" }));
  worker = new Worker(url);
  URL.revokeObjectURL(url);
  const mine = worker;
  ready = new Promise((done) => {
    worker.onmessage = (e) => {
      if (mine !== worker) return;
      if (e.data.ready) { done(); performance.mark("ready"); return; }
      if (e.data.ended) { again("The program ended while it worked on this file" + (e.data.error ? ": " + e.data.error : ": it may need more memory than a browser gives.")); return; }
      if (e.data.id === task) finish(e.data);
    };
  });
  worker.onerror = (e) => { if (mine === worker) again("The program ended: " + e.message); };
  module_.then((module) => mine.postMessage({ module }), (err) => { done_(); say("This browser does not run the program: " + err, true); });
}

// again replaces a worker that ended, or that is to end.
function again(why) {
  worker.terminate();
  task++;
  done_();
  show("");
  say(why, true);
  start();
}

function done_() { $("stop").hidden = true; }

async function work() {
  if (!file) return;
  if (file.size > LARGEST) { show(""); say(file.name + " has " + file.size + " bytes, and this page takes " + LARGEST + ": fbinspect html takes more.", true); return; }
  const id = ++task;
  show("");
  say("Reading " + file.name + " …");
  $("stop").hidden = false;
  performance.mark("dropped");
  await ready;
  if (id === task) worker.postMessage({ id, file, schemas, root: $("root").value.trim(), show: $("more").hidden ? "" : $("show").value });
}

function finish(r) {
  done_();
  if (r.error) { say(file.name + ": " + r.error + (schemas.length ? "" : "\n\nIf it is a FlatBuffer of your own, drop its schema too."), true); return; }
  say("");
  $("more").hidden = !r.left && !$("show").value;
  show(new TextDecoder().decode(r.page));
  frame.addEventListener("load", () => performance.mark("shown"));
}

// take takes what was dropped: schemas are kept for the files that follow.
function take(list) {
  const isSchema = (f) => /\.b?fbs$/i.test(f.name), text = (f) => /\.fbs$/i.test(f.name);
  const files = [...list], data = files.find((f) => !isSchema(f)) ?? (files.length === 1 && !text(files[0]) && !file ? files[0] : null);
  const given = files.filter((f) => f !== data && isSchema(f));
  if (given.length) schemas = given;
  if (data) { file = data; $("show").value = ""; $("more").hidden = true; }
  $("schemas").textContent = schemas.length ? "Schema: " + schemas.map((f) => f.name).join(", ") : "";
  $("forget").hidden = !schemas.length;
  if (file) work(); else if (given.length) say("The schema is kept: drop the file.");
}

for (const type of ["dragenter", "dragover"]) addEventListener(type, (e) => { e.preventDefault(); $("drop").classList.add("over"); });
addEventListener("dragleave", () => $("drop").classList.remove("over"));
addEventListener("drop", (e) => { e.preventDefault(); $("drop").classList.remove("over"); take(e.dataTransfer.files); });
$("open").addEventListener("change", () => { if ($("open").files.length) take($("open").files); });
$("root").addEventListener("change", work);
$("show").addEventListener("change", work);
$("forget").onclick = () => { schemas = []; take([]); };
$("stop").onclick = () => again("Stopped.");
start();
