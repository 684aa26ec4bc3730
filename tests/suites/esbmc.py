#!/usr/bin/env python3
"""Writes the manifest of ESBMC-GPU's regression tests: 285 small CUDA programs.

usage: esbmc.py CHECKOUT WORK

CHECKOUT is a clone of ssvlab/esbmc-gpu. A test.desc says VERIFICATION FAILED or SUCCESSFUL, and mostly of what kind. The
host part of each program is compiled with g++ and esbmc_host.hpp, and run until its first launch, which becomes the case.
What fails in the host part alone (an assertion about the result) is not a label of the kernel, and is left out.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import adapted_text
import kernel_parameters

KINDS = {"R/W data race": "race", "W/W data race": "race", "data race": "race", "NULL pointer": "bounds",
         "array bounds violated": "bounds", "Access to object out of bounds": "bounds", "constant memory": "constant write"}
HOST_HEADER = pathlib.Path(__file__).with_name("esbmc_host.hpp")
SUFFIXES = ["", "_c", "_f", "_four", "_fuintint", "_fuintt", "_i", "_intt", "_three_args_iuull", "_u", "_ui", "_with_three_args",
         "_with_two_args"]
MACROS = "".join(f"#define ESBMC_verify_kernel{suffix}(kernel, grid, block, ...) launcher(#kernel, kernel, grid, block)(__VA_ARGS__)\n"
                 for suffix in SUFFIXES)
LOCKSTEP = "relies on warps in lockstep, which is a race since Volta"
ONE_SUM = "many threads add to one sum without atomics, which is a race"
EXPLAINED = {
    "null-pointer_090_miscfail7": "the pointer could be null; here it is not",
    "array-bounds_002_add_one_fail": "the index comes from host memory that nobody sets; here it is 0",
    "array-bounds_104_misc8_fail": "the overflow is in the host's own memory",
    "data-racer_016_bad_inter_group": "a race between blocks, and the program launches one",
    "data-racer_099_test8": "the kernel accesses no memory",
    "thread-size_094_intragroup_scan": LOCKSTEP,
    "thread-size_095_scan_warp": LOCKSTEP,
    "pug_cuda40": ONE_SUM,
    "pug_cuda42": LOCKSTEP,
    "pug_cuda43": LOCKSTEP,
    "pug_cuda44": ONE_SUM,
    "pug_cuda64": ONE_SUM,
}


class LeftOut(Exception):
    """Why a program is not a case."""


def labels_of(folder):
    lines = [line.strip() for line in (folder / "test.desc").read_text().splitlines()]
    if "^VERIFICATION SUCCESSFUL$" in lines:
        return []
    if "^VERIFICATION FAILED$" not in lines:
        raise LeftOut("no label")
    kinds = [KINDS[line.strip("#$")] for line in lines if line.startswith("#") and line.strip("#$") in KINDS]
    if not kinds:
        raise LeftOut("fails by an assertion, mostly of the host part")
    return kinds


def host_part(text):
    text = adapted_text.blanked(text)
    text = re.sub(r"^[ \t]*#[ \t]*include[^\n]*", "", text, flags=re.M)
    for _, brace, end in reversed(list(adapted_text.functions(text))):
        start = max(text.rfind(letter, 0, brace) for letter in ";}")
        if re.search(r"__(global|device)__", text[start + 1 : brace]):
            text = f"{text[:brace]}{{ __builtin_unreachable(); }}{text[end:]}"
    text = re.sub(r"\b(\w+(?:\s*<[^<>;]*>)?)\s*<<<(.*?)>>>\s*\(", r'launcher("\1", \1, \2)(', text, flags=re.S)
    return f"{MACROS}{text}"


def launch(name, text, work):
    """Returns the first launch of the program, as its host part makes it."""
    folder = work / "host"
    folder.mkdir(parents=True, exist_ok=True)
    source, program, record = (folder / f"{name}{suffix}" for suffix in (".cpp", ".out", ".json"))
    source.write_text(host_part(text))
    if not record.exists() or record.stat().st_mtime < HOST_HEADER.stat().st_mtime:
        compiled = subprocess.run(["g++", "-std=gnu++17", "-fpermissive", "-w", "-include", str(HOST_HEADER), str(source), "-o", str(program)],
                                  capture_output=True, text=True)
        if compiled.returncode != 0:
            if os.environ.get("SHOW"):
                print(name, [line for line in compiled.stderr.splitlines() if "error" in line][:1], file=sys.stderr)
            raise LeftOut("its host part does not compile with our stand-in for the CUDA runtime")
        try:
            subprocess.run([program], env={"LAUNCH": str(record)}, capture_output=True, timeout=10)
        except subprocess.TimeoutExpired:
            pass
    if not record.exists():
        raise LeftOut("its host part launches nothing")
    return json.loads(record.read_text())


def argument(recorded):
    if "host" in recorded or "other" in recorded:
        raise LeftOut("a host pointer, a function or a structure as argument")
    spelt = re.sub(r"^(.*) const\*$", r"const \1*", recorded["type"])
    return {**recorded, "type": spelt}


def make_case(folder, name, work):
    expected, text = labels_of(folder), (folder / "main.cu").read_text(errors="replace")
    first_launch = launch(name, text, work)
    device = adapted_text.device_part(text)
    if first_launch["kernel"] not in kernel_parameters.kernels(device):
        raise LeftOut("the kernel is a template or hidden in a macro")
    return {
        "name": name,
        "file": adapted_text.write(work, f"{name}.cu", f"struct FILE;\n#line 1\n{device}"),
        **first_launch,
        "arguments": [argument(recorded) for recorded in first_launch["arguments"]],
        "expect": ["defect"] if expected else [],
        "explained": {"defect": EXPLAINED[name]} if name in EXPLAINED else {},
    }


def main(checkout, work):
    root = checkout / "regression/cuda"
    cases, skipped = [], {}
    for file in sorted(root.rglob("main.cu")):
        name = "_".join(file.parent.relative_to(root).parts[-2:])
        try:
            cases.append(make_case(file.parent, name, work))
        except (LeftOut, FileNotFoundError) as reason:
            skipped[name] = str(reason) if isinstance(reason, LeftOut) else "no label"
    adapted_text.write_manifest(work, {
        "suite": "ESBMC-GPU regression tests",
        "about": "launches, sizes and data of its host programs, mostly 1 block of 2 threads",
        "judged": {"defect": ["race", "divergence", "bounds", "misaligned", "constant write", "stopped"]},
        "cases": cases,
        "skipped": skipped,
    })


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
