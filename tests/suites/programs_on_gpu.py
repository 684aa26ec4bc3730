#!/usr/bin/env python3
"""Compiles programs that programs.py has run without a defect by nvcc, runs them on a GPU, and compares what they print.

usage: programs_on_gpu.py RESULTS --folders CHECKOUT ... [--sample N] [--jobs N] [--nvcc PATH]

RESULTS is a file of programs.py, made from the same CHECKOUTs. Prints how many programs print the same, how many the same but for
numbers, and then, for all others, the lines that differ. Numbers are mostly times and rates: the lines are shown, to be looked at.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import tempfile

import program_files
import program_sizes

NUMBER = re.compile(r"[-+]?\b\d+(?:[.,]\d+)*(?:e[-+]?\d+)?\b|\b(?:nan|inf)\b", re.I)
LIBRARIES = ["-l" + name for name in ("cublas", "curand", "cufft", "cuda", "cudadevrt")]


def on_gpu(program, nvcc, seconds=60):
    """Returns the output, or None, and what went wrong, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        binary = folder + "/program"
        options = ["-arch=native", "-O2", "-std=c++17", "-w", "-rdc=true", "-Xcompiler", "-fopenmp", *program.options]
        compilation = subprocess.run([nvcc, *options, *program.sources, "-o", binary, f"-L{nvcc.resolve().parents[1]}/lib64/stubs", *LIBRARIES],
                              cwd=program.folder, capture_output=True, text=True, errors="replace", check=False)
        if compilation.returncode:
            errors = re.findall(r"^.*(?:error|fatal|undefined).*$", compilation.stdout + compilation.stderr, flags=re.M)
            return None, "does not compile: " + (errors or ["?"])[0]
        try:
            process = subprocess.run([binary, *program.arguments], cwd=program.folder, stdin=subprocess.DEVNULL, capture_output=True,
                                 text=True, errors="replace", timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return None, "takes too long"
        return process.stdout[-2000:], f"ended with {process.returncode}" if process.returncode else ""


def compared(row, program, nvcc):
    """Returns the class of a program, and the pairs of lines that differ."""
    output, problem = on_gpu(program, nvcc)
    if output is None or (problem and row["exit code"] == 0):
        return problem, []
    simulated, real = row["watched output"].splitlines(), output.splitlines()
    if len(row["watched output"]) == 2000:
        simulated, real = simulated[1:], real[-len(simulated) + 1:]  # the first line is cut
    if simulated == real:
        return "same", []
    pairs = [(a, b) for a, b in zip(simulated, real) if a != b]
    if len(simulated) == len(real) and all(NUMBER.sub("#", a) == NUMBER.sub("#", b) for a, b in pairs):
        return "same but for numbers", pairs
    return "other text", pairs or [(f"{len(simulated)} lines", f"{len(real)} lines")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--folders", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--nvcc", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda/bin/nvcc"))
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.results.read_text().splitlines()]
    passed = {(row["collection"], row["name"]): row for row in rows
              if row["watched"] in ("ran", "own PASS") and not any(finding.startswith("DEFECT") for finding in row["findings"])}
    programs = [program for folder in given.folders for program in program_files.single_files(folder.resolve(), "cuda")
                if (program.collection, program.name) in passed]
    if 0 < given.sample < len(programs):
        programs = random.Random(1).sample(programs, given.sample)
    sizes = program_sizes.read()
    for program in programs:
        program.arguments, _ = sizes.get(program.name, (program.arguments, []))
        program.bring_inputs()
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        found = list(pool.map(lambda program: compared(passed[program.collection, program.name], program, given.nvcc), programs))
    classes = collections.Counter(kind.split(":")[0] for kind, _ in found)
    print(f"{len(programs)} programs: " + ", ".join(f"{count} {kind}" for kind, count in classes.most_common()))
    for program, (kind, pairs) in zip(programs, found):
        if kind != "same":
            print(f"\n{program.collection}/{program.name}: {kind}")
            for simulated, real in pairs[:6]:
                print(f"  gpulab: {simulated[:150]}\n  GPU:    {real[:150]}")


if __name__ == "__main__":
    main()
