#!/usr/bin/env bash
# Installs the peers that package oracle drives, exactly as package-lock.json pins them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
npm ci --ignore-scripts --no-audit --no-fund
