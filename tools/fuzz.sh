#!/usr/bin/env bash
# Feeds broken files to every reader (fuzz/) and says how often, and how much of the code that reached.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'END'
usage: tools/fuzz.sh [--seconds N] [--jobs N] [TARGET...]

Builds the preset `fuzz` (Clang, libFuzzer, ASan, UBSan) and runs each target, or those named, for N
seconds [20] or ten million files, from those in fuzz/corpus and what earlier runs found worth keeping in
build/fuzz/corpus, as many targets at a time as there are processors or --jobs says. A finding is written to
build/fuzz/findings, and the exit code is 1.

example: tools/fuzz.sh --seconds 900 picture matlab
END
}

seconds=20 jobs=$(nproc) targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    --help | -h) usage; exit 0 ;;
    -*) echo "fuzz.sh: no option '$1'; there are --seconds, --jobs and --help" >&2; exit 2 ;;
    *) targets+=("$1") ;;
  esac
  shift
done
if [ ${#targets[@]} -eq 0 ]; then
  for source in fuzz/*.cpp; do targets+=("$(basename "$source" .cpp)"); done
fi

cmake --preset fuzz > /dev/null
cmake --build --preset fuzz > build/fuzz/build.log || { cat build/fuzz/build.log; exit 1; }

mkdir -p build/fuzz/findings
for target in "${targets[@]}"; do
  if [ ! -x "build/fuzz/fuzz/$target" ]; then
    echo "fuzz.sh: no target '$target'; there are: $(cd fuzz && echo *.cpp | sed 's/\.cpp//g')" >&2
    exit 2
  fi
done

# Runs one target and prints its row.
run() {
  local target=$1 log=build/fuzz/$1.log finding=none executions edges memory=4096 longest=()
  # What these readers must bear is long: names and nesting without end.
  case $target in config | checkpoint) longest=(-max_len=1048576) ;; esac
  # Many pieces are as bad as a large one where a small file asks for them. The sanitizers and libtorch have 560 MB.
  case $target in model | picture) memory=1024 ;; esac
  mkdir -p "build/fuzz/corpus/$target"
  "build/fuzz/fuzz/$target" "build/fuzz/corpus/$target" "fuzz/corpus/$target" -max_total_time="$seconds" \
    -runs=10000000 -timeout=10 -rss_limit_mb="$memory" -malloc_limit_mb=256 -print_final_stats=1 "${longest[@]}" \
    -artifact_prefix="build/fuzz/findings/$target-" > "$log" 2>&1 || finding="see $log"
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
  edges=$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f2)
  printf '%-14s %12s %10s  %s\n' "$target" "${executions:-?}" "${edges:-?}" "$finding"
  [ "$finding" = none ]
}
export -f run
export seconds

printf '%-14s %12s %10s  %s\n' target executions edges finding
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'run {}' || exit 1
