"use strict";
// The worker: it runs the program, and makes one page at a time.
self.onmessage = async (e) => {
  try {
    if (e.data.module) {
      const go = new Go();
      const instance = await WebAssembly.instantiate(e.data.module, go.importObject);
      go.run(instance).then(() => self.postMessage({ ended: true }));
      self.postMessage({ ready: true });
      return;
    }
    const task = e.data;
    const bytesOf = (file) => file.arrayBuffer().then((b) => new Uint8Array(b));
    const schemas = [];
    for (const f of task.schemas) schemas.push({ name: f.name, bytes: await bytesOf(f) });
    const result = makePage({ name: task.file.name, bytes: await bytesOf(task.file), schemas, root: task.root, show: task.show });
    self.postMessage({ id: task.id, ...result }, result.page ? [result.page.buffer] : []);
  } catch (err) {
    self.postMessage({ ended: true, error: String(err) });
  }
};
