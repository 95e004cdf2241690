#!/usr/bin/env bash
# Installs what is missing, builds, and shows on real data what penumbra does.
set -euo pipefail
cd "$(dirname "$0")"

if [ "${1-}" = --help ] || [ "${1-}" = -h ]; then
  cat <<'END'
usage: ./demo.sh [--no-setup]

Installs what is missing (Debian packages), builds the command and shows it on
Fashion-MNIST, which Debian's own package brings, and on a synthetic dataset.

  --no-setup  install nothing
END
  exit 0
fi
[ "${1-}" = --no-setup ] || tools/setup.sh
tools/build.sh release penumbra_app

show() {
  printf '\n$ penumbra %s\n' "$*"
  build/release/penumbra "$@"
}
show data list
show data inspect fashion_mnist
show data inspect blobs
