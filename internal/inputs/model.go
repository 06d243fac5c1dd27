package inputs

import (
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Slots of tables of TFLite (schema/formats/tflite/tflite.fbs), those that are written.
const (
	modelVersion = iota
	modelOperatorCodes
	modelSubgraphs
	modelDescription
	modelBuffers
	modelFields
)

const (
	subgraphTensors = iota
	subgraphInputs
	subgraphOutputs
	subgraphOperators
	subgraphName
	subgraphFields
)

const (
	tensorShape = iota
	tensorType
	tensorBuffer
	tensorName
	tensorQuantization
	tensorFields
)

const (
	quantizationScale     = 2
	quantizationZeroPoint = 3
	quantizationFields    = 4
)

const tensorInt8 = 9 // TensorType.INT8

// modelWeights is how many bytes of weights each layer of Model has: the share
// of weights in the file, nineteen parts of twenty, is that of small models.
const modelWeights = 12 << 10

// Model returns a TFLite model of about size bytes, root tflite.Model: a chain of
// layers, each with a tensor of weights, one of activations, both quantized by
// channel, and an operator.
func Model(size int) []byte {
	r := rng(uint64(size))
	b := flatbuffers.NewBuilder(size + size/4)
	layers := max(1, size/(modelWeights*20/19))

	buffers := make([]flatbuffers.UOffsetT, layers+1)
	for i := range buffers {
		var data flatbuffers.UOffsetT
		if i > 0 { // the first buffer is empty: "no data"
			weights := blob(r, modelWeights)
			b.StartVector(1, len(weights), 16) // as the schema wants them aligned
			for j := len(weights) - 1; j >= 0; j-- {
				b.PlaceByte(weights[j])
			}
			data = b.EndVector(len(weights))
		}
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, data, 0)
		buffers[i] = b.EndObject()
	}
	var tensors, operators []flatbuffers.UOffsetT
	for i := range layers {
		tensors = append(tensors,
			modelTensor(b, fmt.Sprintf("block_%d/conv/weights", i), []int32{1, 3, 3, 16}, uint32(i+1), 16, r.IntN(60)+1),
			modelTensor(b, fmt.Sprintf("block_%d/conv/Relu6", i), []int32{1, 56, 56, 16}, 0, 1, r.IntN(60)+1))
		inputs := int32s(b, []int32{int32(2*i - 1), int32(2 * i), -1})
		outputs := int32s(b, []int32{int32(2*i + 1)})
		b.StartObject(3) // opcode_index, inputs, outputs
		b.PrependUOffsetTSlot(2, outputs, 0)
		b.PrependUOffsetTSlot(1, inputs, 0)
		operators = append(operators, b.EndObject())
	}
	tensorsAt, operatorsAt := offsets(b, tensors), offsets(b, operators)
	inputs, outputs := int32s(b, []int32{0}), int32s(b, []int32{int32(2*layers - 1)})
	name := b.CreateString("main")
	b.StartObject(subgraphFields)
	b.PrependUOffsetTSlot(subgraphName, name, 0)
	b.PrependUOffsetTSlot(subgraphOperators, operatorsAt, 0)
	b.PrependUOffsetTSlot(subgraphOutputs, outputs, 0)
	b.PrependUOffsetTSlot(subgraphInputs, inputs, 0)
	b.PrependUOffsetTSlot(subgraphTensors, tensorsAt, 0)
	subgraphs := offsets(b, []flatbuffers.UOffsetT{b.EndObject()})

	b.StartObject(4) // an OperatorCode, CONV_2D: deprecated_builtin_code 3 and builtin_code 3
	b.PrependInt32Slot(3, 3, 0)
	b.PrependInt8Slot(0, 3, 0)
	codes := offsets(b, []flatbuffers.UOffsetT{b.EndObject()})
	buffersAt := offsets(b, buffers)
	description := b.CreateString("made by benches/inputs")

	b.StartObject(modelFields)
	b.PrependUOffsetTSlot(modelBuffers, buffersAt, 0)
	b.PrependUOffsetTSlot(modelDescription, description, 0)
	b.PrependUOffsetTSlot(modelSubgraphs, subgraphs, 0)
	b.PrependUOffsetTSlot(modelOperatorCodes, codes, 0)
	b.PrependUint32Slot(modelVersion, 3, 0)
	b.FinishWithFileIdentifier(b.EndObject(), []byte("TFL3"))
	return append([]byte(nil), b.FinishedBytes()...)
}

// modelTensor writes a tensor of int8. Scales are multiples of 1/64, which every
// printer of floats prints alike.
func modelTensor(b *flatbuffers.Builder, name string, shape []int32, buffer uint32, channels, scale int) flatbuffers.UOffsetT {
	b.StartVector(4, channels, 4)
	for i := range channels {
		b.PrependFloat32(float32(scale+i) / 64)
	}
	scales := b.EndVector(channels)
	b.StartVector(8, channels, 8)
	for i := range channels {
		b.PrependInt64(int64(i - 8))
	}
	zeros := b.EndVector(channels)
	b.StartObject(quantizationFields)
	b.PrependUOffsetTSlot(quantizationZeroPoint, zeros, 0)
	b.PrependUOffsetTSlot(quantizationScale, scales, 0)
	quantization := b.EndObject()

	nameAt, shapeAt := b.CreateString(name), int32s(b, shape)
	b.StartObject(tensorFields)
	b.PrependUOffsetTSlot(tensorQuantization, quantization, 0)
	b.PrependUOffsetTSlot(tensorName, nameAt, 0)
	b.PrependUint32Slot(tensorBuffer, buffer, 0)
	b.PrependUOffsetTSlot(tensorShape, shapeAt, 0)
	b.PrependInt8Slot(tensorType, tensorInt8, 0)
	return b.EndObject()
}

func int32s(b *flatbuffers.Builder, values []int32) flatbuffers.UOffsetT {
	b.StartVector(4, len(values), 4)
	for i := len(values) - 1; i >= 0; i-- {
		b.PrependInt32(values[i])
	}
	return b.EndVector(len(values))
}
