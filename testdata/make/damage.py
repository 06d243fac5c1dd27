"""Writes testdata/damaged/*: copies of the other files, each with one thing wrong. Standard library only.

What is wrong with each file is said beside the call that makes it, and from there printed into the
table that make/README.md holds between its two "damaged" markers.
"""

import gzip
import io
import pathlib
import shutil
import struct
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent
OUT = DATA / "damaged"
shutil.rmtree(OUT, ignore_errors=True)
OUT.mkdir()

rows = []


def save(name, source, wrong, data):
    (OUT / name).write_bytes(bytes(data))
    rows.append(f"| `damaged/{name}` | {f'`{source}`' if source else '—'} | {wrong} |")


def load(name):
    return bytearray((DATA / name).read_bytes())


class Buffer:
    """Just enough of the wire format to find the bytes to overwrite in a buffer that starts at base."""

    def __init__(self, data, base=0):
        self.data, self.base = data, base
        self.root = self.follow(base)

    def u16(self, at):
        return struct.unpack_from("<H", self.data, at)[0]

    def u32(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def put(self, format, at, value):
        struct.pack_into("<" + format, self.data, at, value)

    def follow(self, at):
        return at + self.u32(at)

    def slot(self, table, id):
        """Where the vtable says where field id is."""
        vtable = table - struct.unpack_from("<i", self.data, table)[0]
        at = vtable + 4 + 2 * id
        assert at < vtable + self.u16(vtable) and self.u16(at), "the field is absent"
        return at

    def field(self, table, id):
        return table + self.u16(self.slot(table, id))

    def element(self, vector, i):
        return self.follow(vector + 4 + 4 * i)


# Files that are not what their name says.
save("empty.bin", "", "no bytes at all", b"")
save("html-page.tflite", "", "a web server's error page", b"""<!DOCTYPE html>
<html><head><title>404 Not Found</title></head>
<body><h1>Not Found</h1><p>The model you asked for has moved.</p></body></html>
""")
save("lfs-pointer.tflite", "", "the text Git LFS keeps in place of a file that was not fetched", b"""version https://git-lfs.github.com/spec/v1
oid sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0
size 1092
""")
save("json.bin", "flatbuffers/minimal.json", "the JSON a buffer should have been made from", load("flatbuffers/minimal.json"))
save("gzipped.fgb", "flatgeobuf/js-mixed.fgb", "compressed with gzip", gzip.compress(load("flatgeobuf/js-mixed.fgb"), mtime=0))
packed = io.BytesIO()
with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr(zipfile.ZipInfo("conv.tflite"), bytes(load("tflite/conv.tflite")))
save("zipped.tflite", "tflite/conv.tflite", "inside a zip archive", packed.getvalue())
text = load("flatbuffers/survey.bin").decode("latin-1").encode("utf-8")
save("as-text.bin", "flatbuffers/survey.bin", "every byte from 0x80 up turned into two, as a transfer in text mode does", text)

# Files that end too early.
for name, source, keep in (
    ("truncated.tflite", "tflite/conv.tflite", 0.6),
    ("truncated.vortex", "vortex/types.vortex", 0.6),
    ("truncated.arrow", "arrow/plain.arrow", 0.5),
    ("truncated.fgb", "flatgeobuf/gdal-points-indexed.fgb", 0.5),
    ("truncated.bfbs", "flatbuffers/survey.bfbs", 0.9),
):
    data = load(source)
    save(name, source, f"only the first {keep:.0%} of the bytes", data[: int(len(data) * keep)])
data = load("arrow/plain.arrows")
save("cut-in-body.arrows", "arrow/plain.arrows", "ends 100 bytes early, inside the last record batch", data[:-100])
data = load("flatbuffers/surveys.stream")
save("cut.stream", "flatbuffers/surveys.stream", "ends 5 bytes early, inside the last message", data[:-5])

# Buffers with one wrong number. `cave.survey.Survey` is the root of those from survey.bin.
TITLE, STATIONS, GEAR_TYPE, GEAR, MAYBE, DRAFT = 0, 2, 3, 4, 6, 7
NAME, SHOTS, GEAR_AT_TYPE, GEAR_AT = 0, 2, 3, 4


def survey(name, wrong, change, source="flatbuffers/survey.bin"):
    data = load(source)
    change(Buffer(data, 0))
    save(name, source, wrong, data)


def station(b, i):
    return b.element(b.follow(b.field(b.root, STATIONS)), i)


def title(b):
    """Position of the first byte and of the NUL of the title."""
    s = b.follow(b.field(b.root, TITLE))
    return s + 4, s + 4 + b.u32(s)


survey("root-offset-zero.bin", "root offset is 0", lambda b: b.put("I", 0, 0))
survey("root-offset-odd.bin", "root offset is one too large, so the root is not aligned", lambda b: b.put("I", 0, b.root + 1))
survey("root-offset-outside.bin", "root offset is the length of the file", lambda b: b.put("I", 0, len(b.data)))
survey("vtable-outside.bin", "the root's vtable would be before the first byte", lambda b: b.put("i", b.root, b.root + 64))
survey("vtable-size-odd.bin", "the root's vtable says it has 5 bytes", lambda b: b.put("H", b.slot(b.root, 0) - 4, 5))
survey("field-outside.bin", "the vtable puts the title 65,532 bytes behind the root's start", lambda b: b.put("H", b.slot(b.root, TITLE), 65532))
survey("offset-overwritten.bin", "the offset of `stations` is 0x7ffffff0", lambda b: b.put("I", b.field(b.root, STATIONS), 0x7FFFFFF0))
survey("offset-zero.bin", "the offset of `maybe` is 0", lambda b: b.put("I", b.field(b.root, MAYBE), 0))
survey("vector-too-long.bin", "`stations` says it has 0x40000001 elements (times 4 wraps around 32 bits to 4)", lambda b: b.put("I", b.follow(b.field(b.root, STATIONS)), 0x40000001))
survey("string-unterminated.bin", "no NUL behind the title", lambda b: b.put("B", title(b)[1], ord("!")))
survey("string-not-utf8.bin", "the title's first byte is 0xff", lambda b: b.put("B", title(b)[0], 0xFF))
survey("required-missing.bin", "the vtable says the required title is absent", lambda b: b.put("H", b.slot(b.root, TITLE), 0), "flatbuffers/minimal.bin")
survey("union-without-value.bin", "`stations[0].gear_at_type` says Rope and the vtable says `gear_at` is absent", lambda b: b.put("H", b.slot(station(b, 0), GEAR_AT), 0))
survey("union-tag-wrong.bin", "`stations[0].gear_at_type` says Label, a string, and the value is a Rope", lambda b: b.put("B", b.field(station(b, 0), GEAR_AT_TYPE), 5))
survey("union-vectors-differ.bin", "`gear_type` has one element less than `gear`", lambda b: b.put("I", b.follow(b.field(b.root, GEAR_TYPE)), 4))
survey("nested-damaged.bin", "the root offset inside the nested buffer `draft` is 1,000", lambda b: b.put("I", b.follow(b.field(b.root, DRAFT)) + 4, 1000))
survey("identifier-wrong.bin", "the identifier is `CAVF`", lambda b: b.put("4s", 4, b"CAVF"))
survey("prefix-too-long.bin", "the size prefix promises 4,096 bytes", lambda b: b.put("I", 0, 4096), "flatbuffers/survey.size-prefixed.bin")
survey("unknown-tag.bin", "not damaged: `stations[0].gear_at_type` is 200, as a newer writer could mean it", lambda b: b.put("B", b.field(station(b, 0), GEAR_AT_TYPE), 200))

data = load("flatbuffers/archive.bin")
b = Buffer(data)
b.put("Q", b.field(b.root, 0), 1 << 63)
save("offset64-outside.bin", "flatbuffers/archive.bin", "the 64-bit offset of `scan` is 2^63", data)

# Containers with one wrong number.
data = load("tflite/conv.tflite")
b = Buffer(data)
subgraph = b.element(b.follow(b.field(b.root, 2)), 0)
b.put("I", b.field(subgraph, 0), 0xFFFFFFF0)
save("offset-overwritten.tflite", "tflite/conv.tflite", "the offset of `subgraphs[0].tensors` is 0xfffffff0", data)
data = load("tflite/weights-outside.tflite")
save("weights-missing.tflite", "tflite/weights-outside.tflite", "the FlatBuffer is whole, the weights behind it are gone", data[:-144])

data = load("vortex/types.vortex")
size = struct.unpack_from("<H", data, len(data) - 6)[0]
postscript = Buffer(data, len(data) - 8 - size)
LAYOUT, FOOTER = 1, 3
segment = postscript.follow(postscript.field(postscript.root, LAYOUT))
layout = struct.unpack_from("<Q", data, postscript.field(segment, 0))[0]
outside = bytearray(data)
struct.pack_into("<Q", outside, postscript.field(segment, 0), 1 << 40)
save("segment-outside.vortex", "vortex/types.vortex", "the postscript puts the layout 1 TiB into the file", outside)
broken = bytearray(data)
b = Buffer(broken, layout)
b.put("I", b.element(b.follow(b.field(b.root, 3)), 0), 0x7FFFFFFF)
save("layout-damaged.vortex", "vortex/types.vortex", "the first child of the layout's root has a vtable offset of 0x7fffffff", broken)
long = bytearray(data)
struct.pack_into("<H", long, len(long) - 6, 0xFFFF)
save("postscript-too-long.vortex", "vortex/types.vortex", "the postscript says it has 65,535 bytes, more than the file", long)

data = load("arrow/plain.arrow")
size = struct.unpack_from("<i", data, len(data) - 10)[0]
footer = Buffer(data, len(data) - 10 - size)
blocks = footer.follow(footer.field(footer.root, 3))
outside = bytearray(data)
struct.pack_into("<q", outside, blocks + 4, 1 << 33)
save("block-outside.arrow", "arrow/plain.arrow", "the footer puts the first record batch 8 GiB into the file", outside)
message = struct.unpack_from("<q", data, blocks + 4)[0] + 8
broken = bytearray(data)
b = Buffer(broken, message)
b.put("I", b.field(b.root, 2), 0x00FFFFFF)
save("message-damaged.arrow", "arrow/plain.arrow", "the offset of the first record batch's header is 0xffffff", broken)
negative = bytearray(data)
struct.pack_into("<i", negative, len(negative) - 10, -1)
save("footer-length-negative.arrow", "arrow/plain.arrow", "the footer's length is -1", negative)

data = load("flatgeobuf/gdal-points-indexed.fgb")
long = bytearray(data)
struct.pack_into("<I", long, 8, 0x7FFFFFFF)
save("header-too-long.fgb", "flatgeobuf/gdal-points-indexed.fgb", "the header says it has 2 GiB", long)
data = load("flatgeobuf/gdal-points.fgb")
at = 8 + 4 + struct.unpack_from("<I", data, 8)[0]
b = Buffer(data, at + 4)
b.put("I", b.field(b.root, 0), 0x00FFFFFF)
save("feature-damaged.fgb", "flatgeobuf/gdal-points.fgb", "the offset of the first feature's geometry is 0xffffff", data)
data = load("flatgeobuf/js-mixed.fgb")
data[2] ^= 0x20
save("magic-wrong.fgb", "flatgeobuf/js-mixed.fgb", "the third of the magic bytes is wrong", data)

readme = HERE / "README.md"
begin, end = "<!-- damaged: written by damage.py -->\n", "<!-- end of damaged -->"
text = readme.read_text()
head, rest = text.split(begin)
_, tail = rest.split(end)
table = "\n".join(["| file | made from | what is wrong |", "| --- | --- | --- |", *rows]) + "\n"
readme.write_text(head + begin + table + end + tail)
print(f"damaged: {len(rows)} files")
