#!/usr/bin/env python3
"""Writes the manifest of NVIDIA's compute-sanitizer-samples: one kernel for each kind of report.

usage: sanitizer_samples.py CHECKOUT WORK

CHECKOUT is a clone of NVIDIA/compute-sanitizer-samples. Launches and sizes are those of its host programs.
"""
import pathlib
import sys

import adapted_text

UNSET = "it is true that the threads that race also read shared memory before it is written"


def numbers(count, **more):
    return {"type": "int*", "count": count, **more}


# file, kernel, blocks, threads, arguments, class of the report, true defects of other classes
CASES = [
    ("Memcheck/memcheck_demo.cu", "unaligned_kernel", 1, 1, [], "misaligned", {}),
    ("Memcheck/memcheck_demo.cu", "out_of_bounds_kernel", 1, 1, [], "bounds", {}),
    ("Racecheck/block_error.cu", "sumKernel", 1, 128, [numbers(128), numbers(1)], "race", {"uninitialised": UNSET}),
    ("Racecheck/warp_error.cu", "sumKernel", 1, 64, [numbers(64), numbers(1)], "race", {"uninitialised": UNSET}),
    ("Synccheck/divergent_threads.cu", "myKernel", 1, 64, [numbers(1008), numbers(1)], "divergence", {}),
    ("Synccheck/illegal_syncwarp.cu", "myKernel", 1, 32, [numbers(1)], "divergence", {}),
    ("Initcheck/memset_error.cu", "vectorAdd", 2, 32, [numbers(64, written_bytes=64)], "uninitialised", {}),
]


def main(checkout, work):
    cases = []
    for path, kernel, grid, block, arguments, expected, explained in CASES:
        file = checkout / path
        cases.append({
            "name": f"{file.stem} {kernel}",
            "file": adapted_text.write(work, file.name, adapted_text.device_part(file.read_text())),
            "kernel": kernel,
            "grid": [grid],
            "block": [block],
            "arguments": arguments,
            "expect": [expected],
            "explained": explained,
        })
    adapted_text.write_manifest(work, {
        "suite": "compute-sanitizer-samples",
        "about": "launches and sizes of its host programs",
        "judged": ["misaligned", "bounds", "race", "divergence", "uninitialised"],
        "cases": cases,
    })


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
