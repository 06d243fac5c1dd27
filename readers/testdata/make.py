"""Writes readers/testdata/expected.json: what the formats' own libraries say of the files in testdata.

    python3 -m venv venv && venv/bin/pip install -r testdata/make/requirements.txt && venv/bin/python readers/testdata/make.py

Lines are written as the tests of package readers write them: types as the library spells them, rows, nulls, places.
"""

import json
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pyogrio
import tflite
import vortex as vx

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent / "testdata"


def arrow(path):
    """The types of the columns, and of each batch its rows and what of each column is null."""
    def batches():
        if path.suffix == ".arrow":
            f = ipc.open_file(str(path))
            yield f.schema
            for i in range(f.num_record_batches):
                yield f.get_batch(i)
        else:
            r = ipc.open_stream(path.read_bytes())
            yield r.schema
            yield from r
    all = batches()
    schema = next(all)
    lines = [f"{f.name}: {f.type}" for f in schema]
    for b in all:
        # Unions, runs and columns without a type have no nulls of their own in the metadata.
        own = lambda c: not (pa.types.is_union(c.type) or pa.types.is_run_end_encoded(c.type) or pa.types.is_null(c.type))
        lines.append(f"{b.num_rows} rows, " + " ".join(str(c.null_count) if own(c) else "-" for c in b.columns))
    return lines


def vortex(path):
    """The type of the rows, and how many there are."""
    f = vx.open(str(path))
    return [str(f.dtype), f"{f.footer.row_count} rows"]


BOXES = [(-50.0, -50.0, 20.0, 20.0), (0.0, 0.0, 5.0, 5.0), (-180.0, -90.0, 180.0, 90.0), (3.5, 2.5, 3.6, 2.6)]


def flatgeobuf(path):
    """What the header says, and which features GDAL finds in boxes, by their number and their properties."""
    info = pyogrio.read_info(str(path), force_feature_count=True)
    lines = [f"{info['features']} features, {info['crs'] or 'no crs'}", "columns " + " ".join(info["fields"])]
    for box in BOXES:
        _, fids, _, _ = pyogrio.raw.read(str(path), bbox=box, return_fids=True, columns=[])
        lines.append(f"{list(box)}: " + " ".join(str(i) for i in sorted(fids)))
    return lines


def model(path):
    """Tensors with types, shapes and the bytes of their weights, and operators."""
    data = path.read_bytes()
    m = tflite.Model.GetRootAsModel(data, 0)
    types = {v: k for k, v in vars(tflite.TensorType).items() if not k.startswith("_")}
    builtins = {v: k for k, v in vars(tflite.BuiltinOperator).items() if not k.startswith("_")}
    lines = []
    for g in range(m.SubgraphsLength()):
        graph = m.Subgraphs(g)
        for i in range(graph.TensorsLength()):
            t = graph.Tensors(i)
            b = m.Buffers(t.Buffer())
            size = b.Size() if b.Offset() > 1 else b.DataLength()
            first = b.DataAsNumpy()[:4].tolist() if b.DataLength() else list(data[b.Offset():b.Offset() + 4]) if size else []
            shape = [t.Shape(k) for k in range(t.ShapeLength())]
            lines.append(f"{t.Name().decode()} {types[t.Type()]} {shape} {size} {first}")
        for i in range(graph.OperatorsLength()):
            op = graph.Operators(i)
            code = m.OperatorCodes(op.OpcodeIndex())
            kind = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
            name = code.CustomCode().decode() if builtins[kind] == "CUSTOM" else builtins[kind]
            lines.append(f"{name} {op.InputsAsNumpy().tolist()} {op.OutputsAsNumpy().tolist()}")
    return lines


expected = {}
for pattern, read in [("arrow/*.arrow", arrow), ("arrow/*.arrows", arrow), ("vortex/*.vortex", vortex), ("flatgeobuf/*.fgb", flatgeobuf), ("tflite/*.tflite", model)]:
    for path in sorted(ROOT.glob(pattern)):
        expected[f"{path.parent.name}/{path.name}"] = read(path)
(HERE / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")
print(len(expected), "files;", "numpy", np.__version__)
