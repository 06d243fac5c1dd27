#!/usr/bin/env bash
# Installs the peers that package oracle drives, exactly as package-lock.json and requirements.txt pin them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
npm ci --ignore-scripts --no-audit --no-fund
rm -rf python
python3 -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --no-deps --require-hashes --target python -r requirements.txt
