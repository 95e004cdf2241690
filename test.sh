#!/usr/bin/env bash
# Installs what is missing, builds, and runs every check and test.
set -euo pipefail
cd "$(dirname "$0")"

usage() {
  cat <<'END'
usage: ./test.sh [--quick | --long | --coverage] [--no-setup]

Installs what is missing (Debian packages), builds the preset `release`, checks scripts,
format and clang-tidy (the most recently changed files, for three minutes), runs all tests, and feeds
broken files to every reader for twenty seconds each.

  --quick     without clang-tidy, broken files, and the test that installs the library
  --long      clang-tidy over all files, every public header compiled on its own, every fault and a
              thousand random configurations, broken files for fifteen minutes each, the tests again
              under the address and the thread sanitizer (presets `asan` and `tsan`), which lines they
              run, and half an hour of training watched: many hours
  --coverage  only says which lines the tests run (tools/coverage.sh)
  --no-setup  install nothing
  --help      this text

Tests on real data run when PENUMBRA_TEST_DATA names a folder that has it (docs/data.md).
END
}

mode=normal setup=true
while [ $# -gt 0 ]; do
  case $1 in
    --quick) mode=quick ;;
    --long) mode=long ;;
    --coverage) mode=coverage ;;
    --no-setup) setup=false ;;
    --help | -h) usage; exit 0 ;;
    *) echo "test.sh: no option '$1'; there are --quick, --long, --coverage, --no-setup and --help" >&2; exit 2 ;;
  esac
  shift
done

say() { printf '\n== %s (after %d min %02d s)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }

# A check that fails ends everything; with --long the others are made first.
failed=false
check() {
  if [ $mode != long ]; then "$@"; else "$@" || failed=true; fi
}

if $setup; then
  say "packages"
  tools/setup.sh --dev
fi

if [ $mode = coverage ]; then exec tools/coverage.sh; fi

say "scripts and format"
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
shellcheck "${scripts[@]}"
mapfile -t sources < <(git ls-files '*.h' '*.cpp')
clang-format-14 --dry-run -Werror "${sources[@]}"
echo "${#scripts[@]} scripts and ${#sources[@]} sources are in order"

say "build"
tools/build.sh release
if [ $mode = long ]; then
  say "every public header on its own"
  check tools/check_headers.sh
fi

if [ $mode != quick ]; then
  say "clang-tidy"
  if [ $mode = long ]; then check tools/tidy.py --all; else check tools/tidy.py; fi
fi

say "tests"
if [ -z "${PENUMBRA_TEST_DATA-}" ]; then
  echo "PENUMBRA_TEST_DATA is not set: tests on real benchmarks are skipped (docs/data.md)"
fi
selection=() faults=${FAULTS-}
[ $mode != quick ] || selection=(--label-exclude install)
[ $mode != long ] || faults=long
# Tests run side by side: threads that spin while they wait would take the processor from those that they wait for.
check env FAULTS="$faults" OMP_WAIT_POLICY=passive ctest --test-dir build/release --parallel "$(nproc)" --output-on-failure \
  --no-tests=error "${selection[@]}"
# ctest keeps what passing tests print: how many faults and configurations there were.
grep -hE '^[0-9]+ (faults|random)' build/release/Testing/Temporary/LastTest.log || true

if [ $mode != quick ]; then
  say "broken files"
  if [ $mode = long ]; then check tools/fuzz.sh --seconds 900; else check tools/fuzz.sh; fi

  say "the report's page in a browser"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  for method in fixmatch supervised; do
    build/release/penumbra train blobs --labels 40 --backbone tiny --steps 50 --method $method --out "$work/$method" \
      2> /dev/null
  done
  build/release/penumbra report "$work/fixmatch" "$work/supervised" --ood noise -o "$work/report.html" 2> /dev/null
  npm --prefix web ci --no-audit --no-fund --loglevel=error
  REPORT=$work/report.html check npm --prefix web test --silent
fi

sanitized() { tools/build.sh "$1" && ctest --preset "$1"; }
if [ $mode = long ]; then
  say "address and undefined-behaviour sanitizers"
  check sanitized asan
  say "thread sanitizer"
  check sanitized tsan
  say "coverage"
  check tools/coverage.sh
  say "half an hour of training"
  check bench/soak.py build/release/penumbra 30
fi

say "done"
! $failed
