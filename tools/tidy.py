#!/usr/bin/env python3
"""clang-tidy 14 over our sources, the most recently changed first.

Without a choice it takes files in the order of their last change, uncommitted ones first,
and starts no further file when the time is up: whatever a push held, its files come first.
A source counts as changed when it or its header did. A file that was clean is not looked at
again until it, one of our headers that it includes, or .clang-tidy changes.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/tidy"


def git(*arguments):
    command = ["git", "-C", str(ROOT), *arguments, "--", "*.cpp", "*.h"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def sources(names):
    """Each source once, in order; a header stands for the source of the same name."""
    return list(dict.fromkeys(re.sub(r"\.h$", ".cpp", name) for name in names))


def by_last_change():
    uncommitted = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    return sources(uncommitted + git("log", "--format=", "--name-only"))


def with_our_headers(name, seen):
    if name not in seen and (ROOT / name).is_file():
        seen.add(name)
        for header in re.findall(r'#include "([\w/]+\.h)"', (ROOT / name).read_text()):
            with_our_headers(header, seen)
    return sorted(seen)


def stamp(name):
    """Names an empty file that says: this file, as it is now, was clean."""
    digest = hashlib.sha256()
    for part in [".clang-tidy", *with_our_headers(name, set())]:
        digest.update(part.encode() + b"\0" + (ROOT / part).read_bytes())
    return BUILD / "clean" / digest.hexdigest()


def check(name):
    began = time.monotonic()
    # Clang 14 reads C++14 unless told; GCC's default is the standard we use.
    command = ["clang-tidy-14", "--quiet", "--extra-arg=-std=c++17", "-p", str(BUILD), name]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    clean = result.returncode == 0
    if clean:
        stamp(name).touch()
    print(f"tidy: {name}: {'clean' if clean else 'not clean'}, {time.monotonic() - began:.0f} s", flush=True)
    if not clean:
        print(result.stdout or result.stderr, flush=True)
    return clean


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="example: tools/tidy.py penumbra/data/get.cpp")
    parser.add_argument("files", nargs="*", help="only these sources")
    parser.add_argument("--base", metavar="COMMIT", help="only files that differ from COMMIT")
    parser.add_argument("--all", action="store_true", help="all files, however long it takes")
    parser.add_argument("--seconds", type=float, default=180, help="start no further file after these (180)")
    options = parser.parse_args()
    limited = not (options.files or options.base or options.all)

    # Clang cannot read GCC's precompiled header, so these compile commands go without.
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", "-DPENUMBRA_DEVELOPER_MODE=ON",
                    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"],
                   check=True, stdout=subprocess.DEVNULL)
    (BUILD / "clean").mkdir(exist_ok=True)
    compiled = {os.path.relpath(entry["file"], ROOT)
                for entry in json.loads((BUILD / "compile_commands.json").read_text())}
    if options.files:
        wanted = [os.path.relpath(name, ROOT) for name in options.files]
        unknown = [name for name in wanted if name not in compiled]
        if unknown:
            parser.error(f"the build does not compile {' '.join(unknown)}")
    elif options.base:
        wanted = sources(git("diff", "--name-only", options.base))
    else:
        wanted = by_last_change()
    wanted = [name for name in wanted if name in compiled and not stamp(name).exists()]

    began, left, bad = time.monotonic(), [], []

    def check_in_time(name):
        if limited and time.monotonic() - began > options.seconds:
            left.append(name)
        elif not check(name):
            bad.append(name)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(check_in_time, wanted))
    if left:
        print(f"tidy: time is up; {len(left)} files that changed longer ago were not looked at (--all)")
    print(f"tidy: {len(wanted) - len(left)} files checked, {len(bad)} not clean")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
