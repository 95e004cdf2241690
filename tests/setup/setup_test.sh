#!/usr/bin/env bash
# tools/setup.sh against stand-ins for dpkg-query, apt-get, id and sudo that write down how
# they were called.
# shellcheck disable=SC2016  # the stand-ins expand their variables, not we
set -euo pipefail
setup=$(cd "$(dirname "$0")/../.." && pwd)/tools/setup.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for tool in bash cat sed tr env; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done

stand_in() { printf '#!/usr/bin/env bash\n%s\n' "$2" > "$work/bin/$1"; chmod +x "$work/bin/$1"; }
# Runs setup.sh with the stand-ins only; leaves status, output and calls behind.
run() {
  : > "$work/calls"
  status=0
  output=$(CALLS=$work/calls PATH=$work/bin bash "$setup" "$@" 2>&1) || status=$?
  calls=$(cat "$work/calls")
}
expect() { # what actual wanted
  case $2 in
    *"$3"*) ;;
    *) echo "$1: expected '$3' in: $2" >&2; exit 1 ;;
  esac
}

run
expect "without apt" "$status $output" "2 setup.sh: no apt here"
expect "without apt" "$output" "libtorch 1.13"

stand_in apt-get 'echo "apt-get $DEBIAN_FRONTEND $*" >> "$CALLS"'
stand_in id 'echo 0'
everything=$(sed -n 's/^  "\([^|]*\)|.*/ii  \1/p' "$setup")
stand_in dpkg-query "echo '$everything'"
run --dev
expect "with all packages" "$status:$calls:$output" "0::setup: all"

stand_in dpkg-query "echo '$everything' | sed '/libpng-dev/d; s/ii  libfmt-dev/rc  libfmt-dev/'"
run --check
expect "--check" "$status:$calls:$output" "1::setup: missing: libfmt-dev libpng-dev"
run
expect "with two missing" "$output" "installing 2 Debian packages: libfmt-dev libpng-dev"
expect "with two missing" "$calls" "apt-get noninteractive -q -y update
apt-get noninteractive -q -y install --no-install-recommends libfmt-dev libpng-dev"

stand_in id 'echo 1000'
run
expect "without root and sudo" "$status:$calls:$output" "2::setup.sh: missing: libfmt-dev libpng-dev"
stand_in sudo 'echo sudo >> "$CALLS"; "$@"'
run
expect "with sudo" "$status:$calls" "0:sudo
apt-get noninteractive -q -y update
sudo
apt-get"

run --wrong
expect "a wrong option" "$status $output" "2 setup.sh: no option '--wrong'"
echo "setup.sh does what it says"
