"""Reads buffers into the objects that flatc generated, and packs them again.

The arguments are pairs: a folder of generated code, and its root table. Each line of
the standard input is one buffer: which pair, whether to put its size before it,
whether to force defaults, the file identifier and the bytes in hexadecimal. What is
written is as builder.py writes it; nothing but a length of zero stands for a buffer
that the generated code cannot pack.
"""

import importlib.util
import struct
import sys

import flatbuffers


def load(number, folder, root):
    """Imports the class of a root table's objects."""
    spec = importlib.util.spec_from_file_location("generated%d" % number, folder + "/random_generated.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, root.rpartition(".")[2] + "T")


def main():
    pairs = zip(sys.argv[1::2], sys.argv[2::2])
    roots = [load(i, folder, root) for i, (folder, root) in enumerate(pairs)]
    for line in sys.stdin:
        which, prefixed, force, identifier, data = line.split()
        identifier = bytes.fromhex(identifier[1:]) or None
        owned = roots[int(which)].InitFromPackedBuf(bytes.fromhex(data[1:]))
        builder = flatbuffers.Builder(1)
        builder.ForceDefaults(force == "1")
        try:
            offset = owned.Pack(builder)
            if prefixed == "1":
                builder.FinishSizePrefixed(offset, file_identifier=identifier)
            else:
                builder.Finish(offset, file_identifier=identifier)
            result = builder.Output()
        except (TypeError, AttributeError):
            # Generated code takes the elements of [byte] for unsigned ones, and an array
            # of structs in a struct for one struct.
            result = b""
        sys.stdout.buffer.write(struct.pack("<I", len(result)) + result)


main()
