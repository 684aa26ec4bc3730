#!/usr/bin/env python3
"""Prints what programs.py has found: two tables of docs/programs.md, then what is missing, then all else that is not well.

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

# programs of folders, of which those that nvcc refuses as well are not whole
CLASSES = ["not whole", "whole", "ended", "with a note", "defect", "own check failed", "own exit code", "too long", "refused",
           "does not compile", "crash"]


def class_of(row):
    outcome = row["watched"]
    if outcome.startswith("refused"):
        return "not whole" if row.get("nvcc") else "refused" if "does not have" in outcome else "does not compile"
    if any(finding.startswith("DEFECT") for finding in row["findings"]):
        return "defect"
    for start, name in (("own FAIL", "own check failed"), ("own exit", "own exit code"), ("too long", "too long"), ("crash", "crash")):
        if outcome.startswith(start):
            return name
    return "with a note" if row["findings"] else "ended"


def print_classes(rows):
    print(f"| folder | tried | {' | '.join(CLASSES)} |\n|---|{'--:|' * (len(CLASSES) + 1)}")
    for folder in [*sorted({row["collection"] for row in rows}), "all"]:
        of = collections.Counter(class_of(row) for row in rows if folder in (row["collection"], "all"))
        tried = sum(of.values())
        of["whole"] = tried - of["not whole"]
        print(f"| {folder} | {tried} | {' | '.join(str(of[name]) for name in CLASSES)} |")
    for name in CLASSES[4:]:
        for row in [row for row in rows if class_of(row) == name]:
            print(f"{name}: {row['collection']}/{row['name']}: {'; '.join(row['findings'][:4]) or row['watched']}")


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
    all_rows = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    if of_folders := [row for row in all_rows if "plain" not in row]:
        print_classes(of_folders)
    rows = [row for row in all_rows if "plain" in row]
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
