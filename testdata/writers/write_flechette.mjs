// Writes what a version of @uwdata/flechette writes: a file and a stream with text, numbers and nulls.
import { writeFileSync } from "node:fs";
import * as fl from "@uwdata/flechette";

const out = process.argv[2];
const table = fl.tableFromArrays({ a: [1, 2, 3], b: ["x", "yy", null], c: [1.5, null, 2.5] });
writeFileSync(`${out}.arrow`, fl.tableToIPC(table, { format: "file" }));
writeFileSync(`${out}.arrows`, fl.tableToIPC(table, { format: "stream" }));
