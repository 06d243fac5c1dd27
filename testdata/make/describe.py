"""Says what the formats' own libraries say of files: rows, columns and their types, as lines of JSON.

usage: describe.py FILE...

fbinspect info is held against these lines. What a library refuses has the key "refused".
"""
import json
import sys

import numpy
import pyarrow
import pyarrow.feather


def arrow(name):
    with pyarrow.memory_map(name) as source:
        try:
            table = pyarrow.ipc.open_file(source).read_all()
        except pyarrow.ArrowInvalid:
            source.seek(0)
            table = pyarrow.ipc.open_stream(source).read_all()
    fields = [{"name": f.name, "type": str(f.type), "nullable": f.nullable} for f in table.schema]
    columns = [c.null_count for c in table.columns]
    for field, nulls in zip(fields, columns):
        field["nulls"] = nulls
    return {"rows": table.num_rows, "columns": fields, "batches": None}


def vortex(name):
    import vortex as vx

    file = vx.open(name)
    schema = file.dtype.to_arrow_schema() if str(file.dtype).startswith("struct") or "{" in str(file.dtype) else None
    names = [f.name for f in schema] if schema is not None else [""]
    return {"rows": len(file), "columns": [{"name": n} for n in names]}


def flatgeobuf(name):
    import pyogrio

    about = pyogrio.read_info(name)
    extent = about["total_bounds"]
    return {
        "rows": about["features"],
        "columns": [{"name": str(f)} for f in about["fields"]],
        "geometry": about["geometry_type"],
        "crs": about["crs"],
        "extent": None if extent is None else [float(x) for x in extent],
    }


def tflite(name):
    import tflite as tf

    model = tf.Model.GetRootAsModel(open(name, "rb").read(), 0)
    names = {v: k for k, v in vars(tf.BuiltinOperator).items() if isinstance(v, int)}
    graphs = []
    for i in range(model.SubgraphsLength()):
        g = model.Subgraphs(i)
        operators = {}
        for j in range(g.OperatorsLength()):
            code = model.OperatorCodes(g.Operators(j).OpcodeIndex())
            builtin = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
            op = names[builtin] if builtin != tf.BuiltinOperator.CUSTOM else code.CustomCode().decode() + " (custom)"
            operators[op] = operators.get(op, 0) + 1
        tensor = lambda n: [g.Tensors(n).Name().decode(), [int(x) for x in numpy.atleast_1d(g.Tensors(n).ShapeAsNumpy())] if g.Tensors(n).ShapeLength() else []]
        graphs.append({
            "tensors": g.TensorsLength(),
            "inputs": [tensor(g.Inputs(j)) for j in range(g.InputsLength())],
            "outputs": [tensor(g.Outputs(j)) for j in range(g.OutputsLength())],
            "operators": operators,
        })
    return {"version": model.Version(), "subgraphs": graphs}


def describe(name):
    for ends, how in ((".vortex", vortex), (".fgb", flatgeobuf), (".tflite", tflite)):
        if name.endswith(ends):
            return how(name)
    if name.endswith("v1.feather"):
        table = pyarrow.feather.read_table(name)
        return {"rows": table.num_rows, "columns": [{"name": f.name} for f in table.schema]}
    return arrow(name)


for name in sys.argv[1:]:
    try:
        about = describe(name)
    except Exception as e:  # whatever a library does not like
        about = {"refused": f"{type(e).__name__}: {e}"[:200]}
    print(json.dumps({"file": name, **about}, ensure_ascii=False), flush=True)
