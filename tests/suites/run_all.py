#!/usr/bin/env python3
"""Runs gpulab on all suites that are in a folder, and prints the table of docs/verdicts.md.

usage: run_all.py FOLDER [--jobs N] [--only NAME] [--all-graphs] [--program PATH]

FOLDER holds clones of the suites under their own names (HiRace-Artifact-SC24, gpuverify, faial ...); what is not there is
left out, with the command that gets it. Adapted texts, manifests and results go to FOLDER/work. Compiled kernels are kept
in gpulab's cache, so the second run shows the time without the compiler.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
GRAPHS = [("DAG_100n_200e", 128), ("counterDAG_200n_1000e", 256), ("DAG_200n_400e", 256), ("DAG_5n_5e", 256),
          ("counterDAG_5n_5e", 256)]
# name, repository, maker and its options, folders of the manifests below the work folder
SUITES = [
    ("indigo", "JohnJacobsonIII/HiRace-Artifact-SC24", ["indigo.py"], [""]),
    ("scor", "csl-iisc/ScoR", ["scor.py"], [""]),
    ("gpuverify", "mc-imperial/gpuverify", ["gpuverify.py"], [""]),
    ("faial", "elliotsayes/faial", ["faial.py"], ["races", "counts"]),
    ("esbmc", "ssvlab/esbmc-gpu", ["esbmc.py"], [""]),
    ("samples", "NVIDIA/compute-sanitizer-samples", ["sanitizer_samples.py"], [""]),
    ("simulee", "cogumbreiro/Simulee", ["simulee.py"], [""]),
    ("benchmarks", "mc-imperial/GPUVerifyBenchmarks", ["gpuverify.py"], [""]),
]
OTHER_GRAPHS = [(f"indigo-{graph}", SUITES[0][1], ["indigo.py", "--graph", graph, "--grid", str(grid)], [""])
                for graph, grid in GRAPHS]
HEADER = ("| suite, label | labelled | found | does not manifest | note only | missed | labelled clean | silent | with a note | label wrong "
          "| **false alarms** | not run | s |\n|---|" + "--:|" * 12)


def results(suite, given):
    name, repository, (maker, *options), parts = suite
    checkout, work = given.folder / repository.split("/")[1], given.folder / "work" / name
    if not (HERE / maker).exists():
        return
    if not checkout.is_dir():
        print(f"{name} is left out: git clone https://github.com/{repository} {checkout}", file=sys.stderr)
        return
    subprocess.run([sys.executable, HERE / maker, checkout, work, *options], check=True)
    for part in parts:
        manifest, result = work / part / "manifest.json", work / part / "result.json"
        print(f"{name} {part} ...", file=sys.stderr)
        with (work / part / "result.txt").open("w") as text:
            subprocess.run([given.program, manifest, "--jobs", str(given.jobs), "--json", result], stdout=text, check=True)
        yield json.loads(result.read_text())


def rows(result):
    for counts in result.get("classes", []):
        of = counts.get
        labelled = [case for case in result["cases"] if case["outcomes"].get(counts["class"]) in
                    ("found", "does not manifest", "noted", "missed") or counts["class"] in case["expected"]]
        clean = of("silent") + of("silent with a note") + of("label wrong") + of("false alarm")
        lost = sum(1 for case in labelled if case["outcomes"][counts["class"]] == "not run")
        name = result["suite"] + ("" if counts["class"] == "defect" else f", {counts['class']}")
        yield [name, len(labelled) - lost, of("found"), of("does not manifest"), of("noted"), of("missed"), clean, of("silent"),
               of("silent with a note"), of("label wrong"), f"**{of('false alarm')}**", of("not run"), round(result["seconds"])]
    if all_counts := result["counts"]["all"]:
        equal, corrected = result["counts"]["equal"], result["counts"]["corrected"]
        yield [f"{result['suite']}, {all_counts} numbers", f"{equal} equal", f"{corrected} explained",
               f"{all_counts - equal - corrected} different", *[""] * 8, round(result["seconds"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="suites whose name contains this")
    parser.add_argument("--all-graphs", action="store_true", help="Indigo with its other five inputs, too")
    parser.add_argument("--program", type=pathlib.Path, default=HERE.parents[1] / "build/release/tests/suites/gpulab_suites")
    given = parser.parse_args()
    print(HEADER)
    for suite in SUITES + (OTHER_GRAPHS if given.all_graphs else []):
        if given.only in suite[0]:
            for result in results(suite, given):
                for row in rows(result):
                    print("| " + " | ".join(map(str, row)) + " |", flush=True)


main()
