#!/usr/bin/env python3
"""Writes two manifests of faial's examples: races (WORK/races) and exact numbers of bank conflicts and sectors (WORK/counts).

usage: faial.py CHECKOUT WORK

CHECKOUT is a clone of faial (elliotsayes/faial on GitHub is a fork). Its labels stand in examples/drf/test.ml and
examples/bc/test.ml. They hold for some value of the parameters and for one block; the values below are ours.
"""
import pathlib
import re
import sys

import adapted_text
import kernel_parameters

ANNOTATIONS = "#define __requires(condition)\n#define __assume(condition)\n#define __uniform_int(value) true\n"


def write(work, name, text, annotations=ANNOTATIONS):
    return adapted_text.write(work, name, f'{annotations}#line 1\n{adapted_text.device_part(text)}')


# --- races ---

INT = 16  # value of every int
SAME_VALUE = "every thread writes the same value, which gpulab notes"

# file -> its differences from the usual launch, arguments and text, and why a label is wrong
RACES = {
    "racy-grid-level.cu": {"grid": [2]},
    "parse-gv.cu": {"grid": [2, 2, 2], "explained": {"race": "true between blocks, of which faial looks at one"}},
    "drf-local-array.cu": {"grid": [32, 32], "block": [16, 16],
                           "replace": ("extern __device__ uint func();", "__device__ uint func() { return 1; }"),
                           "values": {"w": 512}},
    "drf-assert-loop.cu": {"grid": [16], "block": [16]},
    "racy-funcion-call-unknowns.cu": {"replace": ("get(int);", "get(int i) { static __device__ int calls[32]; return calls[i]++ == 0 ? 0 : 1; }")},
    "drf-template-index.cu": {"after": "template __global__ void saxpy<int>(float, float*, float*, int);", "kernel": "saxpy<int>",
                              "arguments": ["float a", "float* x", "float* y", "int N"]},
    "racy-template.cu": {"after": "template __global__ void saxpy<float>(float, float*, float*);", "kernel": "saxpy<float>",
                         "arguments": ["float a", "float* x", "float* y"]},
    "racy-template-alias.cu": {"after": "template __global__ void saxpy<float>(float, float*, float*);", "kernel": "saxpy<float>",
                               "arguments": ["float a", "float* x", "float* y"]},
    "drf-2d.cu": {"replace": ("__global__", 'extern "C" __global__'), "block": [256], "grid": [4],
                  "arguments": ["int n", "float a", "float* x", "float* y"], "values": {"n": 1024}},
    "drf-enum-constraint.cu": {"replace": ("__global__", 'extern "C" __global__'),
                               "arguments": ["float a", "float* x", "float* y", "int mode"], "values": {"mode": 2}},
    "racy-kernel-calls-return.cu": {"arrays": {"array": [31 - i for i in range(32)]}},
    "racy-loop-comma-in-cond.cu": {"explained": {"race": "the read of x[0] has no effect, and compilers drop it"}},
    "racy-device.cu": {"replace": ("float *y;", "float y_data[64]; __device__ float *y = y_data;")},
}
SKIPPED = {"drf-field-in-param.cu": "a structure by value", "macro.cu": "three rows below"}
MACROS = [("+ 0", []), ("+ 1", ["race"]), ("", [])]


def race_case(work, name, text, expected, setting):
    if "replace" in setting:
        text = text.replace(*setting["replace"], 1)
    text += "\n" + setting.get("after", "") + "\n"
    values = {"": INT, **setting.get("values", {})}
    kernel = setting.get("kernel") or next(iter(kernel_parameters.kernels(adapted_text.blanked(text))))
    names = kernel_parameters.typedefs(text)
    declared = setting.get("arguments") or kernel_parameters.kernels(adapted_text.blanked(text))[kernel]
    arguments = [kernel_parameters.argument(parameter, names, values, 1 << 14, "index") for parameter in declared]
    for argument, name_of_array in zip(arguments, map(kernel_parameters.name_of, declared)):
        if name_of_array in setting.get("arrays", {}):
            argument["values"] = setting["arrays"][name_of_array]
    return {
        "name": name,
        "file": write(work, f"{name}.cu", text, ANNOTATIONS + setting.get("defines", "")),
        "kernel": kernel,
        "grid": setting.get("grid", [1]),
        "block": setting.get("block", [32]),
        "shared": 4096,
        "arguments": arguments,
        "expect": expected,
        "explained": setting.get("explained", {}),
    }


def races(checkout, work):
    assert (checkout / "test.ml").read_text()  # the labels, which file names and MACROS repeat
    cases = []
    for file in sorted(checkout.glob("*.cu")):
        if file.name in SKIPPED:
            continue
        expected = ["race"] if file.stem.startswith("racy") else []
        cases.append(race_case(work, file.stem, file.read_text(), expected, RACES.get(file.name, {})))
    for index, (macro, expected) in enumerate(MACROS):
        cases.append(race_case(work, f"macro-{index + 1}", (checkout / "macro.cu").read_text(), expected,
                               {"defines": f"#define MACRO {macro}\n"}))
    cases.append(race_case(work, "parse-gv-grid-3", (checkout / "parse-gv.cu").read_text(), ["race"], {"grid": [3]}))
    return {
        "suite": "faial examples/drf",
        "about": f"one block of 32 threads except where the label needs more, every int {INT}, floats 0, 1, 2 ...",
        "judged": ["race"],
        "cases": cases,
    }


# --- counts ---

POWERS = "a loop over powers of two has one iteration more than faial says"
THREAD_BOUND = "threads leave the loop one after another, and the last iterations have fewer lanes that can conflict"
ANY_INDEX = "faial takes any index, so 31; the indices of this loop are known"

# file, block, parameters, faial's number, and where it is wrong: the right one, why
PER_WARP = [
    ("2tid", [32], {}, 1), ("4tid", [32], {}, 3), ("6tid", [32], {}, 1), ("8tid", [32], {}, 7), ("10tid", [32], {}, 1),
    ("12tid", [32], {}, 3), ("14tid", [32], {}, 1), ("16tid", [32], {}, 15), ("18tid", [32], {}, 1), ("20tid", [32], {}, 3),
    ("22tid", [32], {}, 1), ("24tid", [32], {}, 7), ("26tid", [32], {}, 1), ("28tid", [32], {}, 3), ("30tid", [32], {}, 1),
    ("32tid", [32], {}, 31), ("assume", [32], {"n": 2}, 1), ("tidx-tidy", [16, 16], {}, 1), ("tidx-tidy", [32, 32], {}, 0),
    ("loops-1", [32], {"n": 10}, 10), ("loops-1-step-plus", [32], {"lb": 2, "ub": 33, "step": 5}, 7),
    ("loops-1-step-minus", [32], {"lb": 0, "ub": 9, "step": 3}, 4), ("loops-1-step-minus", [32], {"lb": 2, "ub": 33, "step": 5}, 7),
    ("loops-1-div", [32], {}, 9, 10, POWERS), ("loops-1-bitwise", [32], {"n": 3, "m": 2}, 12), ("loops-1-minus", [32], {"n": 7}, 8),
    ("loops-1-multiple", [32], {}, 11), ("loops-1-pow", [512], {}, 8, 9, POWERS), ("loops-1-pow-2", [32], {}, 9, 10, POWERS),
    ("loops-1-pow-unknown-bound", [32], {"n": 1025}, 10, 11, POWERS), ("loops-1-rsh", [32], {}, 9, 10, POWERS),
    ("loops-1-tid-lb", [32], {}, 1024, 1008, THREAD_BOUND), ("loops-1-tid-ub", [32], {}, 31, 15, THREAD_BOUND),
    ("loops-1-tid-ub-var", [32], {"n": 20}, 51, 35, THREAD_BOUND),
    ("loops-1-tid-var-1", [32], {}, 310, 3, ANY_INDEX), ("loops-1-tid-var-2", [32], {}, 31744, 23, ANY_INDEX),
    ("unkn-tid", [32], {}, 31), ("loops-nested-2", [32], {"n": 6}, 21), ("loops-nested-2-ind", [32], {"n": 6}, 36),
    ("loops-nested-2-pow", [32], {"n": 17}, 68, 85, POWERS),
    ("loops-nested-2-ind-step", [32], {"n": 10, "m": 12, "step1": 3, "step2": 2}, 6 + 5 + 3 + 2),
    ("ifs-1", [32], {}, 2), ("ifs-2", [32], {"n": 3}, 1), ("ifs-2", [32], {"n": 4}, 3),
]
PER_REQUEST = [("setRowReadRow", 1, 1), ("setColReadCol", 32, 32), ("setRowReadCol", 32, 1), ("setRowReadColPad", 1, 1)]
MEAN = "faial's number is the worst warp's; the mean of the 32 warps is 4.875, as 4 of them begin at a sector's first word"
SECTORS = [
    ("ua-aligned-1", {"n": 1}, 4), ("ua-aligned-1", {"n": 3}, 4), ("ua-aligned-2", {"n": 1}, 5), ("ua-aligned-2", {"n": 5}, 5),
    ("ua-aligned-3", {"wA": 3}, 5, 4.875, MEAN), ("ua-aligned-4", {"n": 1}, 2), ("ua-aligned-4", {"n": 3}, 2),
    ("ua-aligned-5", {"n": 1}, 3), ("ua-broadcast", {"n": 9}, 1), ("ua-unif-times-tid-1", {"n": 1}, 4),
    ("ua-unif-times-tid-1", {"n": 2}, 8), ("ua-unif-times-tid-1", {"n": 8}, 32), ("ua-unif-times-tid-2", {"n": 1}, 32),
    ("ua-unif-times-tid-3", {"n": 1}, 4), ("ua-unif-times-tid-3", {"n": 5}, 16), ("ua-unif-times-tid-4", {"n": 2}, 16),
]


def expected_count(what, value, corrected=None, reason=""):
    count = {"what": what, "value": value}
    return count if corrected is None else {**count, "corrected": corrected, "reason": reason}


def count_case(checkout, work, name, block, values, counts):
    text = (checkout / f"{name}.cu").read_text().replace("__device__ int f();", "__device__ int f() { return 32; }")
    kernel = next(iter(kernel_parameters.kernels(adapted_text.blanked(text))))
    given = " ".join(f"{key}={value}" for key, value in values.items())
    return {
        "name": " ".join([name, "x".join(map(str, block)), given]).strip(),
        "file": write(work, f"{name}.cu", text),
        "kernel": kernel,
        "grid": [2 if name == "2tid" else 1],
        "block": block,
        "orders": ["forward"],
        "arguments": kernel_parameters.arguments(text, kernel, values),
        "counts": counts,
    }


def counts(checkout, work):
    cases = [count_case(checkout, work, name, block, values, [expected_count("extra wavefronts per warp", *number)])
             for name, block, values, *number in PER_WARP]
    cases += [count_case(checkout, work, name, [32, 32], {}, [expected_count("wavefronts per shared load", load),
                                                             expected_count("wavefronts per shared store", store)])
              for name, load, store in PER_REQUEST]
    cases += [count_case(checkout, work, name, [32, 32], values, [expected_count("sectors per store", *number)])
              for name, values, *number in SECTORS]
    return {
        "suite": "faial examples/bc",
        "about": "one block, of 32 threads where faial says 1024, whose indices leave the array",
        "judged": [],
        "cases": cases,
    }


def main(checkout, work):
    for name, make, folder in (("races", races, "drf"), ("counts", counts, "bc")):
        adapted_text.write_manifest(work / name, make(checkout / "examples" / folder, work / name))


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
