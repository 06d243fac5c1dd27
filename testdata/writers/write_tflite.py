"""Writes a model with the builders of a version of the package tflite (flatc's Python code)."""
import sys

import flatbuffers
import tflite

out = sys.argv[1]
b = flatbuffers.Builder(0)


def vector(start, prepend, values):
    start(b, len(values))
    for v in reversed(values):
        prepend(v)
    try:
        return b.EndVector()
    except TypeError:  # flatbuffers before 2.0 asks for the length
        return b.EndVector(len(values))


def tensor(name, shape, buffer):
    name = b.CreateString(name)
    shape = vector(tflite.TensorStartShapeVector, b.PrependInt32, shape)
    tflite.TensorStart(b)
    tflite.TensorAddName(b, name)
    tflite.TensorAddShape(b, shape)
    tflite.TensorAddType(b, tflite.TensorType.FLOAT32)
    tflite.TensorAddBuffer(b, buffer)
    return tflite.TensorEnd(b)


def buffer(data):
    data = vector(tflite.BufferStartDataVector, b.PrependUint8, data) if data else None
    tflite.BufferStart(b)
    if data is not None:
        tflite.BufferAddData(b, data)
    return tflite.BufferEnd(b)


offset = b.PrependUOffsetTRelative
tflite.OperatorCodeStart(b)
tflite.OperatorCodeAddDeprecatedBuiltinCode(b, tflite.BuiltinOperator.ADD)
tflite.OperatorCodeAddBuiltinCode(b, tflite.BuiltinOperator.ADD)
tflite.OperatorCodeAddVersion(b, 1)
codes = vector(tflite.ModelStartOperatorCodesVector, offset, [tflite.OperatorCodeEnd(b)])
tflite.AddOptionsStart(b)
options = tflite.AddOptionsEnd(b)
inputs = vector(tflite.OperatorStartInputsVector, b.PrependInt32, [0, 1])
outputs = vector(tflite.OperatorStartOutputsVector, b.PrependInt32, [2])
tflite.OperatorStart(b)
tflite.OperatorAddInputs(b, inputs)
tflite.OperatorAddOutputs(b, outputs)
tflite.OperatorAddBuiltinOptionsType(b, tflite.BuiltinOptions.AddOptions)
tflite.OperatorAddBuiltinOptions(b, options)
operators = vector(tflite.SubGraphStartOperatorsVector, offset, [tflite.OperatorEnd(b)])
tensors = vector(tflite.SubGraphStartTensorsVector, offset, [tensor("x", [1, 2], 0), tensor("w", [2], 1), tensor("y", [1, 2], 0)])
inputs = vector(tflite.SubGraphStartInputsVector, b.PrependInt32, [0])
outputs = vector(tflite.SubGraphStartOutputsVector, b.PrependInt32, [2])
name = b.CreateString("main")
tflite.SubGraphStart(b)
tflite.SubGraphAddTensors(b, tensors)
tflite.SubGraphAddInputs(b, inputs)
tflite.SubGraphAddOutputs(b, outputs)
tflite.SubGraphAddOperators(b, operators)
tflite.SubGraphAddName(b, name)
subgraphs = vector(tflite.ModelStartSubgraphsVector, offset, [tflite.SubGraphEnd(b)])
buffers = vector(tflite.ModelStartBuffersVector, offset, [buffer([]), buffer([0, 0, 128, 63, 0, 0, 0, 64])])
tflite.ModelStart(b)
tflite.ModelAddVersion(b, 3)
tflite.ModelAddOperatorCodes(b, codes)
tflite.ModelAddSubgraphs(b, subgraphs)
tflite.ModelAddBuffers(b, buffers)
b.Finish(tflite.ModelEnd(b), b"TFL3")
open(f"{out}.tflite", "wb").write(b.Output())
