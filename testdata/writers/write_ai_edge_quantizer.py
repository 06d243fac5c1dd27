"""Writes what a version of ai-edge-quantizer makes of a model of TensorFlow's."""
import pathlib
import sys

from ai_edge_quantizer import quantizer, recipe

out = sys.argv[1]
q = quantizer.Quantizer(str(pathlib.Path(__file__).parent.parent / "tflite" / "conv.tflite"))
q.load_quantization_recipe(recipe.dynamic_wi8_afp32())
pathlib.Path(f"{out}.tflite").unlink(missing_ok=True)
q.quantize().export_model(f"{out}.tflite")
