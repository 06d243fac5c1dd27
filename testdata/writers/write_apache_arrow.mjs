// Writes what a version of npm apache-arrow writes: a file and a stream.
import { writeFileSync } from "node:fs";
import { tableFromArrays, tableToIPC } from "apache-arrow";

const out = process.argv[2];
const table = tableFromArrays({ a: new Int32Array([1, 2, 3]), b: ["x", "yy", "z"] });
writeFileSync(`${out}.arrow`, tableToIPC(table, "file"));
writeFileSync(`${out}.arrows`, tableToIPC(table, "stream"));
