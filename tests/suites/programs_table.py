#!/usr/bin/env python3
"""Prints what programs.py has found: the tables of docs/programs.md, and after them a list of all that did not pass.

usage: programs_table.py RESULTS
"""
import collections
import json
import pathlib
import sys

SETS = [("cuda-samples 0_Introduction", "cuda-samples, 0_Introduction"),
        ("cuda-samples 2_Concepts_and_Techniques", "cuda-samples, 2_Concepts"),
        ("HeCBench", "HeCBench, one source file, no library")]
NOT_COMPILED = ("refused", "no input")


def counts(rows):
    of = collections.Counter(row["plain"].split(":")[0].split(" code")[0] for row in rows)
    ran = of["own PASS"] + of["ran"]
    compiled = sum(number for outcome, number in of.items() if outcome not in NOT_COMPILED)
    silent = sum(1 for row in rows if "watched" in row and row.get("findings") == [])
    found = sum(1 for row in rows if row.get("findings"))
    return [len(rows), of["no input"], of["refused"], compiled, ran, of["own PASS"], of["own FAIL"] + of["own exit"], of["too long"],
            of["crashed"], silent, found]


def main(path):
    rows = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    print("| programs | tried | no input | refused | compiled | ran to the end | of these with their own PASS | failed by their own check "
          "| too long | crashed | watched: silent | with findings |\n|---|" + "--:|" * 11)
    for name, title in SETS:
        chosen = [row for row in rows if row["collection"] == name]
        if chosen:
            print(f"| {title} | " + " | ".join(map(str, counts(chosen))) + " |")
    print()
    for row in rows:
        if row["plain"] not in ("own PASS", "ran"):
            print(f"{row['collection'].split()[0]} {row['name']}: {row['plain']} {' '.join(row['libraries'] + row['features'])}")
        for finding in row.get("findings", []):
            print(f"{row['collection'].split()[0]} {row['name']}: watched: {finding}")


main(*sys.argv[1:])
