#!/usr/bin/env bash
# Writes docs/methods.md from what the built command says of its methods.
set -euo pipefail
cd "$(dirname "$0")/.."
penumbra=${1:-build/release/penumbra}
{
  cat <<'END'
# Methods

What `penumbra list method NAME` prints for each of them: the comment at the top of its file in
`penumbra/method/methods/`, and its options. This page is made by `tools/methods_page.sh`; a test
compares it with the command. Which preset sets what is in [training.md](training.md), what they
achieve in [results.md](results.md).

END
  "$penumbra" list methods --format markdown
} > docs/methods.md
