#!/usr/bin/env python3
"""Writes the manifest of Indigo 1.3: 590 CUDA kernels that visit a graph, with planted races and overruns.

usage: indigo.py CHECKOUT WORK [--graph NAME] [--grid BLOCKS] [--block THREADS]

CHECKOUT is a clone of JohnJacobsonIII/HiRace-Artifact-SC24, which has the generated kernels in indigo/indigo_sources and
graphs in indigo/input. A kernel's file name says which bugs are planted in it.
"""
import argparse
import pathlib
import struct

import adapted_text


def read_graph(path):
    """Reads an ECL graph; returns its number of nodes, where each node's neighbours begin, and the neighbours."""
    words = struct.unpack(f"<{path.stat().st_size // 4}i", path.read_bytes())
    nodes, edges = words[:2]
    return nodes, list(words[2 : 3 + nodes]), list(words[3 + nodes : 3 + nodes + edges])


def c_random():
    """Yields the numbers of rand() of the GNU C library, with which Indigo's host program fills its arrays."""
    state = [1]
    for _ in range(30):
        state.append(16807 * state[-1] % 2147483647)
    state += state[:3]
    for _ in range(310):
        state.append((state[-31] + state[-3]) % 2**32)
    while True:
        state.append((state[-31] + state[-3]) % 2**32)
        yield state[-1] >> 1


def host_data(nodes, edges):
    size, numbers = max(nodes, edges), c_random()
    return [[0] + [next(numbers) % modulus for _ in range(size - 1)] for modulus in (nodes, max(edges, 1))]


def labels(name):
    bugs = {bug for bug in ("atomicBug", "guardBug", "syncBug", "raceBug") if bug in name}
    return (["race"] if bugs else []) + (["bounds"] if "boundsBug" in name else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--graph", default="power_law_200n_1000e")
    parser.add_argument("--grid", type=int, default=256)
    parser.add_argument("--block", type=int, default=64)
    given = parser.parse_args()

    nodes, begins, neighbours = read_graph(given.checkout / "indigo/input" / f"{given.graph}.egr")
    data1, data2 = host_data(nodes, len(neighbours))
    cases = []
    for file in sorted((given.checkout / "indigo/indigo_sources").glob("*/*.cu")):
        text = adapted_text.device_part(file.read_text())
        cases.append({
            "name": file.stem,
            "file": adapted_text.write(given.work, file.name, text),
            "kernel": "test_kernel",
            "grid": [given.grid],
            "block": [given.block],
            "arguments": [{"type": "int*", "values": name} for name in ("begins", "neighbours", "data1", "data2")]
            + [{"type": "int", "value": nodes}],
            "expect": labels(file.stem),
        })
    adapted_text.write_manifest(given.work, {
        "suite": "Indigo 1.3",
        "about": f"graph {given.graph}, {given.grid} blocks of {given.block} threads",
        "judged": ["race", "bounds"],
        "data": {"begins": begins, "neighbours": neighbours or [0], "data1": data1, "data2": data2},
        "cases": cases,
    })


main()
