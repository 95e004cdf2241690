#!/usr/bin/env bash
# Compiles every public header on its own: none may lean on what its users include first.
# libtorch makes that 5 to 10 seconds each, so it is part of `./test.sh --long` only.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1-}" = --help ] || [ "${1-}" = -h ]; then
  echo "usage: tools/check_headers.sh    (after tools/build.sh release)"
  exit 0
fi
cmake --preset release -B build/headers -DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON >/dev/null
cmake --build build/headers --target penumbra_verify_interface_header_sets --parallel "$(nproc)"
