#!/usr/bin/env python3
"""Prints what programs.py has found: a table of docs/programs.md, then the programs of each class, then what is missing.

usage: programs_table.py RESULTS ...

Where several RESULTS have a program, the last one counts, such as one with more time. program_gaps.txt names programs that no test of
ours can tell from whole ones.
"""
import collections
import fnmatch
import json
import pathlib
import re
import sys

CLASSES = ["ended", "with notes", "defects", "own failure", "too long", "refused"]  # of whole programs
GAPS = [line.split(": ", 1) for line in pathlib.Path(__file__).with_name("program_gaps.txt").read_text().splitlines() if not line.startswith("#")]


def gap_of(row):
    """Returns why a program is not whole, or needs more than one GPU and the runtime; "" if it is whole."""
    outcome = outcome_of(row)
    if outcome.startswith("no input"):
        return outcome
    if outcome.startswith("refused") and row.get("nvcc"):
        return "nvcc: " + row["nvcc"]
    name = row["collection"] + "/" + row["name"]
    return next((reason for pattern, reason in GAPS if fnmatch.fnmatch(name, pattern)), "")


def outcome_of(row):
    """Returns the outcome of the plain run, or of the watched one where there was none."""
    return row.get("plain", row.get("watched"))


def class_of(row):
    """Returns one of CLASSES, or "not whole"."""
    outcome = outcome_of(row)
    if gap_of(row):
        return "not whole"
    if outcome.startswith("refused"):
        return "refused"
    words = [finding.split()[:2] for finding in row.get("findings", [])]
    if outcome == "too long" or ["DEFECT", "time-limit"] in words:  # a kernel that runs for a minute, with or without end
        return "too long"
    if any(kind == "DEFECT" for kind, _ in words):
        return "defects"
    if outcome.startswith(("own FAIL", "own exit", "crash")):
        return "own failure"
    return "with notes" if words else "ended"


def print_table(rows):
    print(f"| collection | tried | whole | {' | '.join(CLASSES)} | came to an end |\n|---|{'--:|' * (len(CLASSES) + 3)}")
    for name in [*sorted({row["collection"] for row in rows}, key=str.lower), "all"]:
        counts = collections.Counter(class_of(row) for row in rows if name in (row["collection"], "all"))
        whole = counts.total() - counts["not whole"]
        ended = sum(counts[kind] for kind in CLASSES[:3]) + counts["own failure"]
        share = f"{ended} ({100 * ended / whole:.0f} %)" if whole else "-"
        print(f"| {name} | {counts.total()} | {whole} | {' | '.join(str(counts[kind]) for kind in CLASSES)} | {share} |")


def missing(rows):
    """Returns missing part of CUDA -> the programs that need it, the most needed first."""
    programs = collections.defaultdict(list)
    for row in rows:
        outcome = outcome_of(row)
        if found := re.search(r"does not have ([^;]*?)(?: \([^)]*\))?(?:;|$)", outcome):
            programs[found[1]].append(row["name"])
        elif outcome.startswith("refused"):
            programs["does not compile: " + outcome.split(": ")[-1]].append(row["name"])
    return sorted(programs.items(), key=lambda entry: -len(entry[1]))


def main(*paths):
    lines = [json.loads(line) for path in paths for line in pathlib.Path(path).read_text().splitlines()]
    rows = list({(row["collection"], row["name"]): row for row in lines}.values())
    print_table(rows)
    for kind in [*CLASSES[1:], "not whole"]:
        for row in [row for row in rows if class_of(row) == kind]:
            print(f"{kind}: {row['collection']}/{row['name']}: {gap_of(row) or '; '.join(row.get('findings', [])[:4]) or outcome_of(row)}")
    for what, names in missing([row for row in rows if class_of(row) == "refused"]):
        print(f"missing, {len(names)}: {what}: {' '.join(names)}")


main(*sys.argv[1:])
