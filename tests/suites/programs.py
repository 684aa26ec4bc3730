#!/usr/bin/env python3
"""Runs the programs of NVIDIA's cuda-samples, of HeCBench and of any other folders with `gpulab run`.

usage: programs.py RESULTS [--samples CHECKOUT] [--hecbench CHECKOUT] [--hip] [--folders CHECKOUT ...] [--only NAME ...] [--again]
                   [--sample N] [--seconds N] [--jobs N] [--program PATH] [--nvcc PATH]

RESULTS is a file of JSON Lines, a line for each program; what it has is not run again without --again. A CHECKOUT is a clone
for this purpose: constants of HeCBench's programs are made smaller in place (program_sizes.txt), and programs write there.
HeCBench's programs that need a library are left out, and its programs and the samples run plain first. In --folders each .cu
file with a main function is a program, or with --hip each file that includes HIP's header, and runs watched, at its own size. What
gpulab refuses there is compiled by --nvcc, to tell whether it is a whole program of today's CUDA; nvcc is not confined. Nothing is
fetched. programs_table.py makes the tables of docs/programs.md.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import program_files
import program_sizes

HERE = pathlib.Path(__file__).parent
PASS = re.compile(r"\bPASS(?:ED)?\b|test:? passed|\bsuccess(?:ful(?:ly)?)?\b|Result = PASS", re.I)
FAIL = re.compile(r"\bFAIL(?:ED|URE)?\b(?! as expected)|\bmismatch(?!es: 0\b)", re.I)


def run(program, given, *options):
    """Runs gpulab once; returns its exit code (None: too long), seconds by the clock and of CPUs, and the ends of what it wrote."""
    command = [given.program, "run", *options, *program.options, *program.sources, "--", *program.arguments]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as report:
        begin = time.monotonic()
        child = subprocess.Popen(command, cwd=program.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=report,
                                 start_new_session=True)
        seconds, cpu_s = 0, 0
        while (code := child.poll()) is None:
            time.sleep(0.1 if seconds < 10 else 1)
            seconds, cpu_s = time.monotonic() - begin, max(cpu_s, cpu_seconds(child.pid))
            if cpu_s > given.seconds or seconds > 5 * given.seconds:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                break
        return code, round(time.monotonic() - begin, 1), round(cpu_s, 1), end_of(output), end_of(report)


def cpu_seconds(session):
    """Returns the CPU time of a session's processes, which says more than a clock on a busy machine."""
    total = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = pathlib.Path("/proc", process, "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        if int(fields[3]) == session:
            total += sum(map(int, fields[11:15]))  # user and system time, of the process and of its children
    return total / os.sysconf("SC_CLK_TCK")


def end_of(file, length=20000):
    file.seek(max(0, file.seek(0, os.SEEK_END) - length))
    return file.read().decode(errors="replace")


def findings(report):
    """Returns the findings of a report, such as "DEFECT race-shared main.cu:12"."""
    found = []
    for block in re.split(r"^(?=(?:DEFECT|note)  )", report, flags=re.M)[1:]:
        word, pattern = block.replace(",", " ").split()[:2]
        line = re.search(r"^  (\S+:\d+): ", block, flags=re.M)
        found.append(" ".join([word, pattern, line[1] if line else "-"]))
    return found


def outcome(code, output, report):
    if code is None:
        return "too long"
    if code == 3 and (refused := re.search(r"^gpulab: (.*)", report, flags=re.M)):
        return "refused: " + refused[1]
    if "ended by signal" in report or code < 0:
        return "crashed"
    if FAIL.search(output):
        return "own FAIL"
    if code != 0:
        return f"own exit code {code}"
    return "own PASS" if PASS.search(output) else "ran"


def result_row(program, given):
    """Runs a program, and returns its line of the results."""
    libraries, features = program.needs()
    row = {"collection": program.collection, "name": program.name, "libraries": libraries, "features": features,
           "arguments": program.arguments, "changed": bool(program.edits)}
    if missing := program.missing_input():
        return row | {"plain": f"no input: {missing}"}
    program.bring_inputs()
    if program.edits:
        try:
            program_sizes.make_smaller(program.folders(), program.edits)
        except LookupError:
            if given.language == "cuda":
                raise
            row["changed"] = False  # HIP's version has no such constant
    if program.found_in_folder:
        return row | watched_columns(program, given)
    code, row["seconds"], _, output, report = run(program, given, "--plain")
    row |= {"plain": outcome(code, output, report), "output": output[-2000:], "report": report[-4000:]}
    if not row["plain"].startswith("refused"):
        row |= watched_columns(program, given)
    return row


def watched_columns(program, given):
    code, seconds, cpu_s, output, report = run(program, given)
    found, exit_code = findings(report), code
    if code == 1 and any(finding.startswith("DEFECT") for finding in found):
        code = 0  # 1 says that there is a defect
    row = {"watched": outcome(code, output, report), "exit code": exit_code, "watched seconds": seconds, "watched CPU seconds": cpu_s, "findings": found,
           "watched output": output[-2000:], "watched report": report[-20000:]}
    if program.found_in_folder and given.nvcc and row["watched"].startswith("refused"):
        row["nvcc"] = error_of_nvcc(program, given.nvcc)
    return row


def error_of_nvcc(program, nvcc):
    """Returns the first error of nvcc, or ""."""
    libraries = ["-l" + name for name in ("cublas", "curand", "cufft", "cusparse", "cusolver", "cuda", "cudadevrt")]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([nvcc, "-O0", "-std=c++17", "-w", "-rdc=true", "-Xcompiler", "-fopenmp", *program.options, *program.sources,
                               "-o", folder + "/program", f"-L{nvcc.resolve().parents[1]}/lib64/stubs", *libraries],
                              cwd=program.folder, capture_output=True, text=True, errors="replace", check=False)
    errors = re.findall(r"^.*(?:error|fatal|undefined|cannot find).*$", done.stdout + done.stderr, flags=re.M)
    return (errors or ["fails"])[0] if done.returncode else ""


def chosen(given):
    programs = list(program_files.samples(given.samples)) if given.samples else []
    if given.hecbench:
        of_hecbench = [program for program in program_files.hecbench(given.hecbench, given.language) if not program.needs()[0]]
        programs += drawn(of_hecbench, given)
    for folder in given.folders:
        programs += drawn(list(program_files.single_files(folder.resolve(), given.language)), given)
    sizes = program_sizes.read()
    for program in programs:
        key = program.name if program.found_in_folder or program.collection.startswith("HeCBench") else "samples/" + program.name
        program.arguments, program.edits = sizes.get(key, (program.arguments, []))
    return [program for program in programs if not given.only or program.name in given.only]


def drawn(programs, given):
    """Returns as many programs as --sample says, the same ones each time."""
    return random.Random(1).sample(programs, given.sample) if 0 < given.sample < len(programs) else programs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--samples", type=pathlib.Path)
    parser.add_argument("--hecbench", type=pathlib.Path)
    parser.add_argument("--hip", dest="language", action="store_const", const="hip", default="cuda", help="programs in HIP")
    parser.add_argument("--folders", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--sample", type=int, default=0, help="number of programs of HeCBench and of each folder, drawn with seed 1")
    parser.add_argument("--seconds", type=float, default=20, help="of CPU time for a run, and five times as much by the clock")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--program", type=pathlib.Path, default=HERE.parents[1] / "build/release/gpulab")
    parser.add_argument("--nvcc", type=pathlib.Path)
    given = parser.parse_args()
    given.program = given.program.resolve()
    kept = [json.loads(line) for line in given.results.read_text().splitlines()] if given.results.exists() else []
    rows = {(row["collection"], row["name"]): row for row in kept}
    cpus = sorted(os.sched_getaffinity(0))
    shares = [cpus[job % len(cpus)::given.jobs] for job in range(given.jobs)]  # a process inherits the affinity of the thread that starts it
    todo = [program for program in chosen(given) if given.again or (program.collection, program.name) not in rows]
    with concurrent.futures.ThreadPoolExecutor(given.jobs, initializer=lambda: os.sched_setaffinity(0, shares.pop())) as pool:
        for done in concurrent.futures.as_completed([pool.submit(result_row, program, given) for program in todo]):
            row = done.result()
            rows[row["collection"], row["name"]] = row
            given.results.write_text("".join(json.dumps(row) + "\n" for row in rows.values()))
            print(f"{row['name']}: {row.get('plain', '-')}, watched: {row.get('watched', '-')}", file=sys.stderr, flush=True)


main()
