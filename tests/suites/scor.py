#!/usr/bin/env python3
"""Writes the manifest of ScoR's microbenchmarks: 32 kernels about fences, locks and scopes.

usage: scor.py CHECKOUT WORK

CHECKOUT is a clone of csl-iisc/ScoR. A file's name begins with race_ or norace_. PTX's memory model of 2019 calls volatile
accesses strong, so that they do not race; the labels are older. They are true of data that are not volatile.
"""
import pathlib
import re
import sys

import adapted_text

def number(text, name):
    return int(re.search(rf"#define\s+{name}\s+(\d+)", text)[1])


def main(checkout, work):
    cases = []
    for file in sorted((checkout / "microbenchmarks/src").glob("*.cu")):
        text = file.read_text()
        device = adapted_text.device_part(text).replace("volatile unsigned int *data", "unsigned int *data")
        cases.append({
            "name": file.stem,
            "file": adapted_text.write(work, file.name, device),
            "kernel": "kmain",
            "grid": [number(text, "NBLOCKS")],
            "block": [number(text, "TPERBLK")],
            "arguments": [{"type": "unsigned int*", "count": 1}],
            "expect": ["race"] if file.stem.startswith("race") else [],
        })
    adapted_text.write_manifest(work, {
        "suite": "ScoR microbenchmarks",
        "about": "1 or 2 blocks of 1 or 33 threads, as its host programs launch them; volatile taken off the data",
        "judged": ["race", "stopped"],
        "cases": cases,
    })


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
