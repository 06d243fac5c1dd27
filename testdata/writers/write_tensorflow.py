"""Writes what the converter of a version of TensorFlow writes: a small model, and one whose weights it quantized."""
import sys

import tensorflow as tf

out = sys.argv[1]


def convert(rows, columns, optimizations):
    weights = tf.reshape(tf.range(rows * columns, dtype=tf.float32) / 64, [rows, columns])

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([1, rows], tf.float32, name="x")])
        def run(self, x):
            return {"y": tf.nn.relu(tf.matmul(x, weights)) + 1.0}

    model = Model()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([model.run.get_concrete_function()], model)
    converter.optimizations = optimizations
    return converter.convert()


open(f"{out}.tflite", "wb").write(convert(8, 8, []))
open(f"{out}-quantized.tflite", "wb").write(convert(32, 64, [tf.lite.Optimize.DEFAULT]))
