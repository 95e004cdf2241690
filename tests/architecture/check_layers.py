#!/usr/bin/env python3
"""Check what the tree promises: data flows one way, files stay small, the map is true."""
import pathlib
import re
import sys

ORDER = "core data augment model loss uncertainty method train evaluate report deploy".split()
MOST_LINES = 400
EXCEPTIONS = {}  # path: why it may be longer

root = pathlib.Path(sys.argv[1])
library = root / "penumbra"
bad = []

for path in sorted(library.rglob("*")):
    if path.suffix not in {".h", ".cpp"}:
        continue
    here = path.relative_to(library).parts[0]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+["<](penumbra|app|tests|bench)/(\w+)', line)
        if not match:
            continue
        if match[1] != "penumbra":
            bad.append(f"{path}:{number}: the library must not include {match[1]}/")
        elif ORDER.index(match[2]) > ORDER.index(here):
            bad.append(f"{path}:{number}: {here}/ must not include {match[2]}/")

for folder in ("penumbra", "app", "tests", "bench", "tools"):
    for path in sorted((root / folder).rglob("*")):
        name = str(path.relative_to(root))
        if path.suffix in {".h", ".cpp", ".py", ".sh"} and name not in EXCEPTIONS:
            lines = len(path.read_text().splitlines())
            if lines > MOST_LINES:
                bad.append(f"{name}: {lines} lines, at most {MOST_LINES}")

for path in sorted((*library.rglob("*.cpp"), *(root / "app").glob("*.cpp"))):
    if re.search(r"(fs|filesystem)::exists\([^,]*\)", path.read_text()):
        bad.append(f"{path}: asks by exists() and not by is_there() of core/file.h")

listed = re.findall(r"^\| `(\w+)/` ", (library / "README.md").read_text(), re.MULTILINE)
present = [name for name in ORDER if (library / name).is_dir()]
unknown = [p.name for p in library.iterdir() if p.is_dir() and p.name not in ORDER]
if listed != present or unknown:
    bad.append(f"penumbra/README.md lists {listed}, there are {present + unknown}")

print("\n".join(bad) or "layers, lengths and map are right")
sys.exit(bool(bad))
