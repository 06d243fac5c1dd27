"""Does what scripts say with the Python builder. See script_test.go for the calls.

Reads the scripts from standard input, one after the other, and writes each buffer
with its length before it, a little-endian uint32.
"""

import struct
import sys

import flatbuffers

NAMES = {
    "bool": "Bool", "i8": "Int8", "u8": "Uint8", "i16": "Int16", "u16": "Uint16", "i32": "Int32",
    "u32": "Uint32", "i64": "Int64", "u64": "Uint64", "f32": "Float32", "f64": "Float64",
}
SIZES = {"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "f32": 4, "f64": 8}


def number(kind, text):
    if kind == "bool":
        return text != "0"
    if kind == "f32":
        return struct.unpack("<f", struct.pack("<I", int(text)))[0]
    if kind == "f64":
        return struct.unpack("<d", struct.pack("<Q", int(text)))[0]
    return int(text)


def prepend(builder, kind, text):
    getattr(builder, "Prepend" + NAMES[kind])(number(kind, text))


def structure(builder, size, align, parts):
    """Writes a struct from its last part to its first, as generated code does."""
    builder.Prep(align, size)
    for part in reversed(parts):
        kind, text = part.split(":")
        if kind == "pad":
            builder.Pad(int(text))
        else:
            prepend(builder, kind, text)
    return builder.Offset()


def split(words):
    """Cuts the parts of structs apart, which a "/" each precedes."""
    structs = []
    for word in words:
        if word == "/":
            structs.append([])
        else:
            structs[-1].append(word)
    return structs


def vector(builder, way, kind, values):
    if way == 1 and kind == "u8":
        return builder.CreateByteVector(bytes(int(v) for v in values))
    builder.StartVector(SIZES[kind], len(values), SIZES[kind])
    for text in reversed(values):
        prepend(builder, kind, text)
    return builder.EndVector()


def slot(builder, field, kind, text, default):
    getattr(builder, "Prepend%sSlot" % NAMES[kind])(field, number(kind, text), default)


def finish(builder, root, prefixed, identifier):
    if prefixed:
        builder.FinishSizePrefixed(root, file_identifier=identifier or None)
    else:
        builder.Finish(root, file_identifier=identifier or None)
    return bytes(builder.Output())


def run(lines, write):
    outer, b, ids, result, used = [], None, None, b"", None
    for line in lines:
        call, *w = line.split()
        if call == "buffer":
            outer.append((b, ids))
            if used is not None and not int(w[0]) & 1:
                b, used = used, None  # builders can be used again
                b.Clear()
            else:
                b = flatbuffers.Builder(int(w[0]))
            ids = []
            b.ForceDefaults(w[1] == "1")
        elif call == "string":
            text = bytes.fromhex(w[1][1:]).decode("utf-8")
            ids.append(b.CreateSharedString(text) if w[0] == "1" else b.CreateString(text))
        elif call == "bytes":
            ids.append(b.CreateByteVector(bytes.fromhex(w[0][1:])))
        elif call == "nest":
            ids.append(b.CreateByteVector(result))
        elif call == "vector":
            ids.append(vector(b, int(w[0]), w[1], w[2:]))
        elif call == "offsets":
            b.StartVector(4, len(w), 4)
            for word in reversed(w):
                if word == "-":
                    b.PrependUint32(0)
                else:
                    b.PrependUOffsetTRelative(ids[int(word)])
            ids.append(b.EndVector())
        elif call == "structs":
            size, align, structs = int(w[1]), int(w[2]), split(w[3:])
            b.StartVector(size, len(structs), align)
            for parts in reversed(structs):
                structure(b, size, align, parts)
            ids.append(b.EndVector())
        elif call == "lone":
            ids.append(structure(b, int(w[0]), int(w[1]), w[3:]))
        elif call == "table":
            b.StartObject(int(w[0]))
        elif call == "add":
            slot(b, int(w[0]), w[1], w[2], number(w[1], w[3]))
        elif call == "set":
            slot(b, int(w[0]), w[1], w[2], None)
        elif call == "struct":
            b.PrependStructSlot(int(w[0]), structure(b, int(w[1]), int(w[2]), w[4:]), 0)
        elif call == "offset":
            b.PrependUOffsetTRelativeSlot(int(w[0]), ids[int(w[1])], 0)
        elif call == "end":
            ids.append(b.EndObject())
        elif call == "need":
            pass  # this builder has no such check
        elif call == "finish":
            result = finish(b, ids[int(w[0])], w[1] == "1", bytes.fromhex(w[2][1:]))
            used = b
            b, ids = outer.pop()
            if b is None:
                write(struct.pack("<I", len(result)) + result)
        else:
            raise ValueError("no such call: " + line)


if __name__ == "__main__":
    run(sys.stdin, sys.stdout.buffer.write)
