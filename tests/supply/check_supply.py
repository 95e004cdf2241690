#!/usr/bin/env python3
"""Check what the program is made of: its licences are listed, its page comes from packages whose content is known,
and, where a build is hardened, that it is.

usage: check_supply.py ROOT PROGRAM hardened|plain
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT, PROGRAM, KIND = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
LICENCES = (ROOT / "docs/licences.md").read_text()
# Signs of each in what readelf prints of a program's headers, its dynamic section and its symbols.
HARDENING = {
    "a random address (PIE)": r"Flags: .*\bPIE\b",
    "imports resolved at the start": r"BIND_NOW",
    "a read-only table of imports": r"GNU_RELRO",
    "a stack that is not executable": r"GNU_STACK\s+(0x\w+\s+){5}RW\s",
    "guarded stacks": r"__stack_chk_fail",
    "checked memory and string functions": r"__memcpy_chk",
}


def readelf(*options):
    command = ["readelf", "--wide", *options, PROGRAM]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check_libraries():
    """Every shared library that the program names stands in the table, by its file's name without the version."""
    listed = set(re.findall(r"`(lib[\w+]+)`", LICENCES))
    needed = {name.split(".so")[0] for name in re.findall(r"Shared library: \[(.+?)\]", readelf("--dynamic"))}
    needed = {re.sub(r"libpng\d+", "libpng", name) for name in needed}
    sanitizers = {"libasan", "libubsan", "libtsan"}
    return [f"docs/licences.md does not list {name}, which the program is linked with"
            for name in sorted(needed - listed - sanitizers)]


def check_page():
    """Packages of the page are pinned by their content, and the licences of those that may be in it are named."""
    lock = json.loads((ROOT / "web/package-lock.json").read_text())
    bad = []
    for path, package in lock["packages"].items():
        if not path:
            continue
        name = path.removeprefix("node_modules/")
        if not package.get("integrity", "").startswith("sha512-"):
            bad.append(f"web/package-lock.json does not say what {name} must contain")
        family = "d3" if name.startswith("d3-") else name
        row = rf"(?m)^\|(.*,)? {re.escape(family)}\b[^|]*\|.*\b{package['license']}\b"
        embedded = not package.get("dev") or name == "svelte"
        if embedded and not re.search(row, LICENCES):
            bad.append(f"docs/licences.md does not list {name} ({package['license']}), which may be in the page")
    return bad


def check_hardening():
    said = readelf("--program-headers", "--dynamic", "--dyn-syms")
    return [f"the program lacks {what}" for what, sign in HARDENING.items() if not re.search(sign, said)]


bad = check_libraries() + check_page()
if KIND == "hardened":
    bad += check_hardening()
print("\n".join(bad) or "what the program is made of is listed, known and " + KIND)
sys.exit(bool(bad))
