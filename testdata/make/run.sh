#!/usr/bin/env bash
# Writes all of testdata anew. Needs Python 3.11 or newer with venv, Node 20 or newer with npm.
# What it installs goes to a folder it removes, except make/node_modules, which git ignores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt
npm ci --ignore-scripts --no-audit --no-fund

export PYTHONDONTWRITEBYTECODE=1
for script in write_vortex write_arrow write_tflite write_flatgeobuf; do
  "$venv/bin/python" "$script.py"
done
node write_flatgeobuf.mjs
node write_flatbuffers.mjs
install -m 644 node_modules/@mediapipe/selfie_segmentation/selfie_segmentation.tflite ../tflite/
python3 damage.py
