"""Writes testdata/tflite/*.tflite of our own making and runs each in LiteRT's interpreter.

The models are built with the flatbuffers package's Builder through the accessors of the tflite
package: a convolution, its bias, and an addition, small enough to be followed byte by byte.
"""

import pathlib

import flatbuffers
import numpy as np
import tflite
from ai_edge_litert.interpreter import Interpreter

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "tflite"
OUT.mkdir(exist_ok=True)

RNG = np.random.default_rng(7)
FILTER = RNG.normal(size=(4, 3, 3, 1)).astype(np.float32)
BIAS = np.array([0.5, -0.5, 1, -1], np.float32)
OFFSET = np.array([10], np.float32)


def vector(b, start, offsets):
    start(b, len(offsets))
    for o in reversed(offsets):
        b.PrependUOffsetTRelative(o)
    return b.EndVector()


def buffer(b, data):
    at = b.CreateByteVector(data) if data else None
    tflite.BufferStart(b)
    if at is not None:
        tflite.BufferAddData(b, at)
    return tflite.BufferEnd(b)


def buffer_outside(b, where):
    tflite.BufferStart(b)
    tflite.BufferAddOffset(b, where[0])
    tflite.BufferAddSize(b, where[1])
    return tflite.BufferEnd(b)


def tensor(b, name, shape, index, quantized=False):
    name = b.CreateString(name)
    shape = b.CreateNumpyVector(np.array(shape, np.int32))
    quantization = None
    if quantized:
        scale = b.CreateNumpyVector(np.array([0.25], np.float32))
        zero = b.CreateNumpyVector(np.array([3], np.int64))
        tflite.QuantizationParametersStart(b)
        tflite.QuantizationParametersAddScale(b, scale)
        tflite.QuantizationParametersAddZeroPoint(b, zero)
        quantization = tflite.QuantizationParametersEnd(b)
    tflite.TensorStart(b)
    tflite.TensorAddName(b, name)
    tflite.TensorAddShape(b, shape)
    tflite.TensorAddBuffer(b, index)
    tflite.TensorAddType(b, tflite.TensorType.INT8 if quantized else tflite.TensorType.FLOAT32)
    if quantization is not None:
        tflite.TensorAddQuantization(b, quantization)
    return tflite.TensorEnd(b)


def code(b, builtin):
    tflite.OperatorCodeStart(b)
    tflite.OperatorCodeAddDeprecatedBuiltinCode(b, min(builtin, 127))
    tflite.OperatorCodeAddVersion(b, 1)
    tflite.OperatorCodeAddBuiltinCode(b, builtin)
    return tflite.OperatorCodeEnd(b)


def operator(b, opcode, inputs, outputs, kind, options):
    inputs = b.CreateNumpyVector(np.array(inputs, np.int32))
    outputs = b.CreateNumpyVector(np.array(outputs, np.int32))
    tflite.OperatorStart(b)
    tflite.OperatorAddOpcodeIndex(b, opcode)
    tflite.OperatorAddInputs(b, inputs)
    tflite.OperatorAddOutputs(b, outputs)
    tflite.OperatorAddBuiltinOptionsType(b, kind)
    tflite.OperatorAddBuiltinOptions(b, options)
    return tflite.OperatorEnd(b)


def convolution(outside=None):
    """x -> conv(x, FILTER) + BIAS, relu -> + OFFSET. outside: (offset, size) of FILTER behind the FlatBuffer."""
    b = flatbuffers.Builder(1024)
    buffers = [
        buffer(b, b""),  # buffer 0 is empty by convention
        buffer_outside(b, outside) if outside else buffer(b, FILTER.tobytes()),
        buffer(b, BIAS.tobytes()),
        buffer(b, OFFSET.tobytes()),
        buffer(b, b"made by testdata/make"),
    ]
    buffers = vector(b, tflite.ModelStartBuffersVector, buffers)

    tensors = [
        tensor(b, "x", (1, 8, 8, 1), 0),
        tensor(b, "filter", FILTER.shape, 1),
        tensor(b, "bias", BIAS.shape, 2),
        tensor(b, "conv", (1, 8, 8, 4), 0),
        tensor(b, "offset", OFFSET.shape, 3),
        tensor(b, "y", (1, 8, 8, 4), 0),
    ]
    tensors = vector(b, tflite.SubGraphStartTensorsVector, tensors)

    tflite.Conv2DOptionsStart(b)
    tflite.Conv2DOptionsAddPadding(b, tflite.Padding.SAME)
    tflite.Conv2DOptionsAddStrideW(b, 1)
    tflite.Conv2DOptionsAddStrideH(b, 1)
    tflite.Conv2DOptionsAddFusedActivationFunction(b, tflite.ActivationFunctionType.RELU)
    conv = tflite.Conv2DOptionsEnd(b)
    tflite.AddOptionsStart(b)
    add = tflite.AddOptionsEnd(b)
    operators = [
        operator(b, 0, [0, 1, 2], [3], tflite.BuiltinOptions.Conv2DOptions, conv),
        operator(b, 1, [3, 4], [5], tflite.BuiltinOptions.AddOptions, add),
    ]
    operators = vector(b, tflite.SubGraphStartOperatorsVector, operators)
    return finish(b, buffers, tensors, operators, [0], [5], [tflite.BuiltinOperator.CONV_2D, tflite.BuiltinOperator.ADD])


def quantized():
    """int8 x -> reshape, with quantization parameters: vectors of 8-byte elements."""
    b = flatbuffers.Builder(1024)
    shape = np.array([1, 16], np.int32)
    buffers = [buffer(b, b""), buffer(b, b""), buffer(b, b"made by testdata/make")]
    buffers = vector(b, tflite.ModelStartBuffersVector, buffers)
    tensors = [tensor(b, "x", (1, 4, 4, 1), 0, True), tensor(b, "y", (1, 16), 0, True)]
    tensors = vector(b, tflite.SubGraphStartTensorsVector, tensors)
    new = b.CreateNumpyVector(shape)
    tflite.ReshapeOptionsStart(b)
    tflite.ReshapeOptionsAddNewShape(b, new)
    reshape = tflite.ReshapeOptionsEnd(b)
    operators = [operator(b, 0, [0], [1], tflite.BuiltinOptions.ReshapeOptions, reshape)]
    operators = vector(b, tflite.SubGraphStartOperatorsVector, operators)
    return finish(b, buffers, tensors, operators, [0], [1], [tflite.BuiltinOperator.RESHAPE])


def finish(b, buffers, tensors, operators, inputs, outputs, codes):
    name = b.CreateString("main")
    ins = b.CreateNumpyVector(np.array(inputs, np.int32))
    outs = b.CreateNumpyVector(np.array(outputs, np.int32))
    tflite.SubGraphStart(b)
    tflite.SubGraphAddName(b, name)
    tflite.SubGraphAddTensors(b, tensors)
    tflite.SubGraphAddInputs(b, ins)
    tflite.SubGraphAddOutputs(b, outs)
    tflite.SubGraphAddOperators(b, operators)
    subgraphs = vector(b, tflite.ModelStartSubgraphsVector, [tflite.SubGraphEnd(b)])
    codes = vector(b, tflite.ModelStartOperatorCodesVector, [code(b, c) for c in codes])

    maps = []
    for label, index in (("x", inputs[0]), ("y", outputs[0])):
        label = b.CreateString(label)
        tflite.TensorMapStart(b)
        tflite.TensorMapAddName(b, label)
        tflite.TensorMapAddTensorIndex(b, index)
        maps.append(tflite.TensorMapEnd(b))
    ins = vector(b, tflite.SignatureDefStartInputsVector, maps[:1])
    outs = vector(b, tflite.SignatureDefStartOutputsVector, maps[1:])
    key = b.CreateString("serving_default")
    tflite.SignatureDefStart(b)
    tflite.SignatureDefAddInputs(b, ins)
    tflite.SignatureDefAddOutputs(b, outs)
    tflite.SignatureDefAddSignatureKey(b, key)
    signatures = vector(b, tflite.ModelStartSignatureDefsVector, [tflite.SignatureDefEnd(b)])

    note = b.CreateString("note")
    tflite.MetadataStart(b)
    tflite.MetadataAddName(b, note)
    tflite.MetadataAddBuffer(b, 4 if len(maps) and outputs == [5] else 2)
    metadata = vector(b, tflite.ModelStartMetadataVector, [tflite.MetadataEnd(b)])

    description = b.CreateString("a model of our own making")
    tflite.ModelStart(b)
    tflite.ModelAddVersion(b, 3)
    tflite.ModelAddOperatorCodes(b, codes)
    tflite.ModelAddSubgraphs(b, subgraphs)
    tflite.ModelAddDescription(b, description)
    tflite.ModelAddBuffers(b, buffers)
    tflite.ModelAddMetadata(b, metadata)
    tflite.ModelAddSignatureDefs(b, signatures)
    b.Finish(tflite.ModelEnd(b), b"TFL3")
    return bytes(b.Output())


def run(data, x):
    interpreter = Interpreter(model_content=data)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


inside = convolution()
# A first try finds out how long the FlatBuffer is; the weights go behind it, 16-aligned.
weights = FILTER.tobytes()
start = (len(convolution((1 << 20, len(weights)))) + 15) // 16 * 16
model = convolution((start, len(weights)))
outside = model + bytes(start - len(model)) + weights

x = RNG.normal(size=(1, 8, 8, 1)).astype(np.float32)
assert np.array_equal(run(inside, x), run(outside, x))
q = np.arange(16, dtype=np.int8).reshape(1, 4, 4, 1)
assert np.array_equal(run(quantized(), q).ravel(), q.ravel())

for name, data in {"conv.tflite": inside, "weights-outside.tflite": outside, "quantized.tflite": quantized()}.items():
    (OUT / name).write_bytes(data)
    print(f"{name}: {len(data)} bytes")
