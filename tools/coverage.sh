#!/usr/bin/env bash
# Which lines the tests run: builds the preset `coverage`, runs the tests, and asks gcovr.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'END'
usage: tools/coverage.sh [TEST]

Prints the line coverage of the library, of the readers of strangers' files, and the number of test lines
per source line. Exit code 1 when the library is below 90 % or a reader below 100 %. Lines that no test can
reach are marked GCOVR_EXCL_LINE with the reason. Each line is in build/coverage/lines.html.

  TEST    only the tests whose names match, as ctest --tests-regex; nothing is judged then

example: tools/coverage.sh 'data|core'
END
}

case ${1-} in
  --help | -h) usage; exit 0 ;;
  -*) echo "coverage.sh: no option '$1'; there is --help" >&2; exit 2 ;;
esac

tools/build.sh coverage
find build/coverage -name '*.gcda' -delete
# Faults kill processes, which then count nothing; an installed library would need gcov as well. On one
# processor, since two threads that count the same line at once lose counts, gcovr reads no negative ones, and
# counting in turn (-fprofile-update=atomic) is much slower.
processor=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
taskset --cpu-list "$processor" ctest --test-dir build/coverage --output-on-failure --no-tests=error \
  --exclude-regex 'faults|install' ${1:+--tests-regex "$1"}

report() { gcovr --root . --object-directory build/coverage --exclude-throw-branches "$@" build/coverage; }
readers='penumbra/(core/(file|config|toml|json|csv)'
readers+='|data/(reading|records|idx|matlab|matlab_file|packed|folder_layout|labels_file|label_check|split_file)'
readers+='|data/(decode|jpeg|png|webp|orientation)|model/(safetensors|safetensors_header|model_file)|train/checkpoint)\.cpp'

report --filter 'penumbra/' --html-details build/coverage/lines.html --txt build/coverage/lines.txt
sed -n '5,$p' build/coverage/lines.txt
echo
echo "readers:"
report --filter "$readers" | sed -n '7,$p'
sources=$(git ls-files 'penumbra/*.cpp' 'penumbra/*.h' 'app/*.cpp' 'app/*.h' 'web/src/*' | xargs cat | wc -l)
tests=$(git ls-files 'tests/*.cpp' 'tests/*.h' 'tests/*.py' 'tests/*.sh' 'fuzz/*.cpp' 'fuzz/*.h' 'fuzz/*.py' \
  'web/tests/*' | xargs cat | wc -l)
echo "$tests lines of tests for $sources of sources: $(awk "BEGIN { printf \"%.2f\", $tests / $sources }")"
if [ $# -eq 0 ]; then
  # Not --output /dev/null: gcovr 5.2 removes what it is to write, and root may remove that.
  report --filter 'penumbra/' --fail-under-line 90 > /dev/null
  report --filter "$readers" --fail-under-line 100 > /dev/null
fi
