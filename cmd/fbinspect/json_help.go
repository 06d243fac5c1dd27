package main

import "github.com/spf13/cobra"

// jsonHelp names the keys of every JSON that a verb prints, verb by verb.
const jsonHelp = `With --json each verb prints one object a line. Offsets and lengths are bytes, offsets count
from the start of the file. Keys that a line has no value for may be left out.

verify, an object for each file:
  file, format, valid, verdict (sound, deviating or damaged), parts, errors, error (why there is
  no verdict), deviations, notes, skipped
  parts: name, type, offset, length, valid, verdict, tables (met on a walk), errors
  errors: kind, type, path, offset, message, part (of what is around the FlatBuffers)
  deviations and notes: kind, part, path, offset, message, readers (that open such a file)

info, an object for each file:
  file, format, what (the format in words), size, version, writer, rows (or features),
  batches, parts (FlatBuffers), columns, codecs, indexes, metadata, map, subgraphs, types,
  sound (all metadata was read), faults, notes
  columns: name, type, nullable, bytes, nulls, encodings, metadata, columns
  metadata: key, value
  map: layer, title, description, geometry, dimensions, crs, extent (west, south, east,
  north), geometry_bytes, counted (the header does not say how many features there are)
  subgraphs: name, inputs, outputs, tensors (how many), constants (tensors with weights, the
  largest first), operators
  inputs, outputs, constants: name, type, bytes
  operators: name, count
  types: kind, name, fields (or values), root

dump, an object for each value, where a file has parts of several types or there are several
files; else the value alone:
  file (of several), part, type, offset, path (with --path), data

annotate, an object for each row:
  offset, length, kind, part, object, path, type, value, target (where an offset leads),
  bytes (in hex, at most 64), faults
  faults: kind, path, offset, size (0 for no bytes in particular), message

stats, an object for each file:
  file, format, size, parts, faulty, regions, kinds, types, other, vtables, depths (tables at
  depth 1, 2, …), largest, repeated, savings, faults (how many, by kind),
  uncompared (strings and vtables that were not compared with others, where they are too many)
  regions, kinds, fields: name, count, bytes
  types: name, count, bytes, fields
  vtables: count, bytes, tables, duplicates
  largest: part, path, what, offset, bytes
  repeated: text, count, bytes (that sharing would save)
  savings: what, bytes

diff, an object for each difference:
  op (added, removed, changed), part, path, old, new, old_omitted and new_omitted (why a value
  is not there), what (of parts and files)

conform, and diff of schemas, an object for each difference:
  file (with --against, and of folders), where, kind, severity (break, warning, note),
  backward, forward, text, source, message

schema find, an object for each candidate:
  schema, root, format, strict, identifier, own, tables, fields, covered (0 to 1)

version:
  version, revision, time, modified, go, platform`

// jsonTopic is a page of the help that is no verb.
func jsonTopic() *cobra.Command {
	return &cobra.Command{Use: "json", Short: "The keys of what --json prints", Long: jsonHelp}
}
