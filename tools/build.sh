#!/usr/bin/env bash
# Configures and builds one preset, with as many compilers at once as processors and memory allow.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1-}" = --help ] || [ "${1-}" = -h ]; then
  cat <<'END'
usage: tools/build.sh [PRESET [TARGET ...]]

Builds the preset (release, dev, asan, tsan, coverage or fuzz; release unless told) into build/PRESET.

example: tools/build.sh release penumbra_app
END
  exit 0
fi
preset=${1:-release}
[ $# -gt 0 ] && shift

# A file that includes libtorch needs up to 1.1 GB to compile.
kilobytes=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
if [ "$limit" != max ]; then
  used=$(cat /sys/fs/cgroup/memory.current)
  free=$(((limit - used) / 1024))
  [ "$free" -ge "$kilobytes" ] || kilobytes=$free
fi
jobs=$((kilobytes / 1200000))
[ "$jobs" -le "$(nproc)" ] || jobs=$(nproc)
[ "$jobs" -ge 1 ] || jobs=1

echo "build: preset $preset, $jobs at a time"
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
