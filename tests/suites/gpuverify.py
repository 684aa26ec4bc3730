#!/usr/bin/env python3
"""Writes the manifest of GPUVerify's own test suite, or of GPUVerifyBenchmarks, which has the same labels.

usage: gpuverify.py CHECKOUT WORK

CHECKOUT is a clone of mc-imperial/gpuverify or of mc-imperial/GPUVerifyBenchmarks. The first line of a kernel.cu is //pass
or //xfail:KIND, the second one has its launch. A label speaks of all values of the parameters; those below are ours:
1 MiB or more of zeros behind each pointer, blockDim.x for every int that no __requires fixes.
"""
import math
import pathlib
import re
import sys

import adapted_text
import explained
import kernel_parameters

# The prover's annotations; __assert stops the kernel.
ANNOTATIONS = """
#define __requires(...)
#define __ensures(...)
#define __invariant(...) true
#define __global_invariant(...) true
#define __function_wide_invariant(...)
#define __candidate_invariant(...) true
#define __assume(...)
#define __global_assert(...)
#define __assert(...) do { if (!(__VA_ARGS__)) __trap(); } while (0)
#define __requires_fresh_array(...)
#define __array_snapshot(...)
#define __non_temporal_loads_begin()
#define __non_temporal_loads_end()
#define __barrier_invariant(...)
#define __barrier_invariant_1(...)
#define __barrier_invariant_2(...)
#define __implies(a, b) (!(a) || (b))
#define __is_pow2(x) (((x) & ((x) - 1)) == 0)
#define __uniform_int(x) true
#define __uniform_bool(x) true
#define __distinct_int(x) true
#define __distinct_bool(x) true
"""
NO_LABEL = {"BUGLE_ERROR": "the label is about the prover's front end", "CLANG_ERROR": "the label is about the prover's front end"}
WORDS_OF_PROOFS = re.compile(r"\b__(old|return_val\w*|ptr_\w+|points_to\w*|read\w*|write\w*|no_read|no_write|other_\w+|pow2\w*|"
                             r"enabled|all|exists|same_group|add_noovfl\w*|ite|accessed\w*|axiom)\s*\(")


def launch(text):
    sizes = {}
    for name in ("blockDim", "gridDim"):
        match = re.search(rf"--{name}=\[?([\d,x ]+)\]?", "\n".join(text.splitlines()[:3]))
        sizes[name] = [int(n) for n in re.findall(r"\d+", match[1])] if match else [1]
    return sizes["gridDim"], sizes["blockDim"]


def defines(text):
    options = re.findall(r"\s-D\s*(\w+)(?:=(\S+))?", "\n".join(text.splitlines()[:3]))
    return "".join(f"#define {name} {value or 1}\n" for name, value in options)


def shrunk(grid):
    """Returns the grid with at most 64 blocks."""
    while math.prod(grid) > 64:
        grid = [max(1, size // 2) for size in grid]
    return grid


def required(text):
    """Returns the values that a __requires fixes."""
    return {match[1]: int(match[2], 0) for match in re.finditer(r"__requires\(\s*(\w+)\s*==\s*(0x[\da-fA-F]+|\d+)u?\s*\)", text)}


def make_case(work, name, file, root, is_tests):
    text = file.read_text(errors="replace")
    label = re.match(r"//\s*(pass|xfail)(?::(\w+))?", text, re.I)
    if not label:
        raise kernel_parameters.Unknown("no label in the first line")
    if label[2] in NO_LABEL:
        raise kernel_parameters.Unknown(NO_LABEL[label[2]])
    device = adapted_text.device_part(adapted_text.with_own_headers(file, root))
    found = kernel_parameters.kernels(device)
    if not found:
        raise kernel_parameters.Unknown("no kernel")
    kernel = next(reversed(kernel_parameters.instances(device) or found))
    if WORDS_OF_PROOFS.search(re.sub(r"__\w*(?:invariant|requires|ensures)\w*\([^;{]*", "", device)):
        raise kernel_parameters.Unknown("words of the prover that have no meaning in a run")
    grid, block = launch(text)
    if math.prod(block) > 1024:
        raise kernel_parameters.Unknown("a block of more than 1024 threads")
    try:
        arguments = kernel_parameters.arguments(device, kernel, {"": block[0], **required(text), **explained.VALUES.get(name, {})},
                                                array_bytes=max(1 << 20, 8 * math.prod(grid) * math.prod(block)))
    except kernel_parameters.Unknown:
        raise kernel_parameters.Unknown("a structure, a function or a reference as parameter") from None
    return {
        "name": name,
        "file": adapted_text.write(work, name.replace("/", "_") + ".cu", f"{ANNOTATIONS}{defines(text)}#line 1\n{device}"),
        "kernel": kernel,
        "grid": grid if is_tests else shrunk(grid),
        "block": block,
        "arguments": arguments,
        "expect": ["defect"] if label[1].lower() == "xfail" else [],
        "explained": {"defect": explained.LABELS[name]} if name in explained.LABELS else {},
    }


def main(checkout, work):
    root = checkout / "testsuite/CUDA" if (checkout / "testsuite").is_dir() else checkout
    is_tests = root != checkout
    cases, skipped = [], {}
    for file in sorted(root.rglob("*.cu")):
        name = str(file.parent.relative_to(root) if file.name == "kernel.cu" else file.relative_to(root).with_suffix(""))
        try:
            cases.append(make_case(work, name, file, root, is_tests))
        except kernel_parameters.Unknown as reason:
            skipped[name] = str(reason)
    adapted_text.write_manifest(work, {
        "suite": "GPUVerify test suite" if is_tests else "GPUVerifyBenchmarks",
        "about": "its launches; 1 MiB or more of zeros behind each pointer, blockDim.x for every int that no __requires fixes",
        # A prover does not look for uninitialised reads. Real kernels leave the bounds of arrays, whose sizes are ours.
        "judged": {"defect": ["race", "divergence", "misaligned", "constant write", *(["bounds", "stopped"] if is_tests else [])]},
        "cases": cases,
        "skipped": skipped,
    })


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
