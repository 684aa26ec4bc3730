#!/usr/bin/env python3
"""Prints what programs.py has found: the first table of docs/programs.md, then what is missing, then all else that is not well.

usage: programs_table.py RESULTS
"""
import collections
import json
import pathlib
import re
import sys

SETS = [("cuda-samples 0_Introduction", "cuda-samples, 0_Introduction"),
        ("cuda-samples 2_Concepts_and_Techniques", "cuda-samples, 2_Concepts"),
        ("HeCBench", "HeCBench, one source file, no library"), ("HeCBench in HIP", "HeCBench in HIP")]
COLUMNS = ["tried", "no input file", "refused", "ran to the end", "with their own PASS", "own check failed", "too long", "ended early",
           "watched: silent", "notes", "defects"]


def column_of(row):
    outcome = row["plain"]
    for start, column in (("no input", "no input file"), ("refused", "refused"), ("own FAIL", "own check failed"), ("too long", "too long")):
        if outcome.startswith(start):
            return column
    return "ran to the end" if outcome in ("own PASS", "ran") else "ended early"


def counts(rows):
    of = collections.Counter(column_of(row) for row in rows)
    if not rows:
        return of
    of["tried"] = len(rows)
    of["with their own PASS"] = sum(1 for row in rows if row["plain"] == "own PASS")
    for row in rows:
        if "findings" in row and row["watched"] != "too long":
            words = {finding.split()[0] for finding in row["findings"]}
            of["defects" if "DEFECT" in words else "notes" if words else "watched: silent"] += 1
    return of


def missing(rows):
    """Missing part of CUDA -> the programs that need it."""
    programs = collections.defaultdict(list)
    for row in rows:
        if found := re.search(r"does not have ([^;]*?)(?: \([^)]*\))?(?:;|$)", row["plain"]):
            programs[found[1]].append(row["name"])
        elif row["plain"].startswith("refused"):
            programs["does not compile: " + row["plain"].split(": ")[-1]].append(row["name"])
    return sorted(programs.items(), key=lambda entry: -len(entry[1]))


def main(path):
    rows = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    print(f"| programs | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}")
    for name, title in SETS:
        if of := counts([row for row in rows if row["collection"] == name]):
            print(f"| {title} | {' | '.join(str(of[column]) for column in COLUMNS)} |")
    for what, names in missing(rows):
        print(f"missing, {len(names)}: {what}: {' '.join(names)}")
    for row in rows:
        if column_of(row) in ("own check failed", "too long", "ended early"):
            print(f"{row['name']}: {row['plain']}")
        if row.get("findings"):
            print(f"{row['name']}, watched: {', '.join(sorted(set(row['findings'])))}")


main(*sys.argv[1:])
