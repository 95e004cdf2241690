#!/usr/bin/env bash
# Installs what penumbra needs and is not there yet, from Debian's packages.
set -euo pipefail

# Debian package | what it is elsewhere, at least in this version
build=(
  "g++|a C++17 compiler: GCC 12 or Clang 14"
  "cmake|CMake 3.25"
  "ninja-build|Ninja 1.10"
  "pkg-config|pkg-config 1.8"
  "libtorch-dev|libtorch 1.13 with its headers (pytorch.org; set Torch_DIR)"
  "libdnnl-dev|oneDNN 2.6"
  "libfaiss-dev|FAISS 1.7"
  "libopenblas0-openmp|OpenBLAS 0.3 with OpenMP, behind libtorch's and FAISS's matrix products"
  "librandom123-dev|Random123 1.14"
  "libfmt-dev|fmt 9"
  "nlohmann-json3-dev|nlohmann-json 3.11"
  "libtomlplusplus-dev|toml++ 3.3"
  "libcli11-dev|CLI11 2.1"
  "libeigen3-dev|Eigen 3.4"
  "libjpeg-dev|libjpeg-turbo 2.1"
  "libpng-dev|libpng 1.6"
  "libwebp-dev|libwebp 1.2"
  "zlib1g-dev|zlib 1.2"
  "libssl-dev|OpenSSL 3.0"
  "python3|Python 3.11 (tests)"
  "npm|Node.js 18 with npm (the report's page)|npm"
  "libgtest-dev|GoogleTest 1.12"
  "libgmock-dev|GoogleMock 1.12"
  "libbenchmark-dev|Google Benchmark 1.7"
)
run=(
  "curl|curl 7.88 (data get)"
  "dataset-fashion-mnist|Fashion-MNIST, the data of the demo"
)
develop=(
  "git|git 2.39 (which files are checked)|git"
  "clang-format-14|clang-format 14"
  "clang-tidy-14|clang-tidy 14"
  "clang-14|Clang 14 (fuzzing)"
  "libomp-14-dev|OpenMP for Clang 14"
  "libclang-rt-14-dev|libFuzzer and the sanitizers of Clang 14"
  "python3-torch|PyTorch 1.13 for Python (golden values)"
  "python3-torchvision|torchvision 0.14 (golden values)"
  "python3-pil|Pillow 9.4 (golden values)"
  "python3-numpy|NumPy 1.24 (golden values)"
  "python3-sklearn|scikit-learn 1.2 (golden values)"
  "gcovr|gcovr 5.2 (coverage)"
  "shellcheck|shellcheck 0.9"
  "chromium|Chromium (tests of the report's page)|chromium"
)

usage() {
  cat <<'END'
usage: tools/setup.sh [--dev] [--check]

Installs the Debian packages that penumbra needs and that are missing; it says which
first, and does nothing when none is.

  --dev    also what the checks and the golden values need
  --check  only say what is missing (exit code 1 when something is)
  --help   this text

example: tools/setup.sh --dev
END
}

wanted=("${build[@]}" "${run[@]}")
check_only=false
while [ $# -gt 0 ]; do
  case $1 in
    --dev) wanted+=("${develop[@]}") ;;
    --check) check_only=true ;;
    --help | -h) usage; exit 0 ;;
    *) echo "setup.sh: no option '$1'; there are --dev, --check and --help" >&2; exit 2 ;;
  esac
  shift
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  {
    echo "setup.sh: no apt here, so nothing can be installed for you. Penumbra needs:"
    for entry in "${wanted[@]}"; do IFS='|' read -r _ what _ <<< "$entry"; echo "  $what"; done
    echo "Install these, then configure with: cmake --preset release"
  } >&2
  exit 2
fi

# "ii" (installed) or "hi" (installed and held) in dpkg's own list.
installed=" $(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' | sed -n 's/^[hi]i //p' | tr '\n' ' ')"
missing=()
for entry in "${wanted[@]}"; do
  IFS='|' read -r package _ program <<< "$entry"
  # A program that came from elsewhere is as good as Debian's.
  [[ $installed == *" $package "* ]] || { [ -n "$program" ] && command -v "$program" >/dev/null; } ||
    missing+=("$package")
done

if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: all ${#wanted[@]} packages are there"
  exit 0
fi
if $check_only; then
  echo "setup: missing: ${missing[*]}"
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: missing: ${missing[*]}" >&2
    echo "setup.sh: installing needs root; run as root: apt-get install ${missing[*]}" >&2
    exit 2
  fi
  as_root=(sudo)
fi

echo "setup: installing ${#missing[@]} Debian packages: ${missing[*]}"
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@"; }
apt update
apt install --no-install-recommends "${missing[@]}"
