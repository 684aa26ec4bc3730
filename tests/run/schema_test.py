#!/usr/bin/env python3
"""schema_test.py GPULAB DATA KERNELS: what gpulab writes matches its published schemas, which are in DATA.

The validator is not ours, so that the schema and the program cannot be wrong in the same way.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import jsonschema

gpulab, data, kernels = sys.argv[1:]


def run(*words):
    done = subprocess.run([gpulab, *words], capture_output=True, text=True, timeout=120)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError as error:
        sys.exit(f"gpulab {' '.join(words)} (exit code {done.returncode}) did not print JSON: {error}\n{done.stderr}")


def run_lesson(name, *words):
    return run(name, "--device", "simulator", "--time-budget", "0.01", "--format", "json", *words)


def check(validator, what, document):
    problems = [f"{what}: {error.json_path}: {error.message}" for error in validator.iter_errors(document)]
    print("\n".join(problems) or f"{what}: matches")
    return not problems


def check_refused(validator, what, document):
    if validator.is_valid(document):
        print(f"the schema accepts {what}")
        return False
    return True


def validator_of(schema_name):
    with open(os.path.join(data, schema_name)) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def small_words(lesson, size):
    """Returns options with which the lesson is small: this size, or counts of at most 65."""
    if lesson["default_size"]:
        return ["--size", size]
    counts = [option for option in lesson["options"] if option["kind"] == "count"]
    return [word for option in counts
            for word in (f"--{option['name']}", str(max(option["min"], min(option["default"], 65))))]


def check_runs(lessons, broken):
    validator = validator_of("gpulab-run.schema.json")
    results = []
    for lesson in lessons:
        name = lesson["name"]
        for size in ("2048", "4099") if lesson["default_size"] else ("",):
            words = small_words(lesson, size)
            code, document = run_lesson(name, *words)
            what = f"{name} {' '.join(words)}, exit code {code}"
            results += [check(validator, what, document), code == document["exit_code"] == 0]
    name = lessons[0]["name"]
    code, document = run_lesson(name, "--kernels", broken)
    results += [code == 3, check(validator, f"{name} that does not compile, exit code {code}", document)]
    code, documents = run_lesson(name, "--size", "1000,2000")
    results += [code == 0, [sized["lesson"]["size"] for sized in documents] == [1000, 2000]]
    results += [check(validator, f"{name} of {sized['lesson']['size']}", sized) for sized in documents]
    code, fallen_back = run(name, "--device", "auto", "--time-budget", "0.01", "--format", "json", "--quiet")
    results += [code == 0, check(validator, f"{name} on any device", fallen_back)]
    results += [check_refused(validator, "an unknown field", document | {"surprise": 1}),
                check_refused(validator, "a document without variants",
                              {key: document[key] for key in document if key != "variants"})]
    return results


def check_inspections(lessons, broken):
    validator = validator_of("gpulab-inspect.schema.json")
    results = []
    for lesson in lessons:
        name, words = lesson["name"], small_words(lesson, "2048")
        if name in ("scaling", "runtime-api"):
            continue  # inspect counts what kernels do on one device
        code, document = run("inspect", name, "--format", "json", *words)
        results += [check(validator, f"inspect {name} {' '.join(words)}, exit code {code}", document),
                    code == document["exit_code"] == 0]
    name = lessons[0]["name"]
    code, document = run("show", name, "--annotate", "--format", "json")
    results += [check(validator, f"show {name} --annotate", document), code == 0]
    code, document = run("inspect", name, "--kernels", broken, "--format", "json")
    results += [code == 3, check(validator, f"inspect {name} that does not compile, exit code {code}", document)]
    return results + [check_refused(validator, "an unknown field", document | {"surprise": 1})]


PROGRAM = """#include <cstdio>
__global__ void fill(int* x) { x[threadIdx.x] = 1; }
int main() { int* x; cudaMalloc(&x, 128); fill<<<1, 32>>>(x); cudaDeviceSynchronize(); }
"""


def check_programs(folder):
    validator = validator_of("gpulab-program.schema.json")
    path, report = (os.path.join(folder, name) for name in ("fill.cu", "report.json"))
    results = []
    for text, words, exit_code in [(PROGRAM, [], 0), (PROGRAM, ["--strict"], 1), (PROGRAM, ["--inspect"], 0), ("garbage", [], 3)]:
        with open(path, "w") as file:
            file.write(text)
        code = subprocess.run([gpulab, "run", path, *words, "--format", "json", "--output", report], timeout=120).returncode
        with open(report) as file:
            document = json.load(file)
        results += [code == document["exit_code"] == exit_code,
                    check(validator, f"run {' '.join(words)}, exit code {code}", document)]
    return results + [check_refused(validator, "an unknown field", document | {"surprise": 1})]


def check_estimates():
    validator = validator_of("gpulab-estimate.schema.json")
    results = []
    for words in [("coalescing", "--size", "4096"), ("primes", "--size", "1000")]:  # the second has no prediction
        code, document = run("estimate", *words, "--format", "json")
        results += [code == 0, check(validator, f"estimate {' '.join(words)}", document)]
    results.append(check_refused(validator, "an unknown field", document | {"surprise": 1}))
    validator = validator_of("gpulab-gpu.schema.json")
    for name in sorted(os.listdir(os.path.join(data, "gpus"))):
        with open(os.path.join(data, "gpus", name)) as file:
            gpu = json.load(file)
        results += [check(validator, name, gpu), check_refused(validator, "a number without a source", gpu | {"launch_s": {"value": 1}}),
                    check_refused(validator, "a GPU without a clock", {key: gpu[key] for key in gpu if key != "clock_hz"})]
    return results


def check_machine_and_catalogue():
    results = []
    for command in ("list", "doctor"):
        validator = validator_of(f"gpulab-{command}.schema.json")
        code, document = run(command, "--format", "json")
        results += [code == 0, check(validator, command, document),
                    check_refused(validator, "an unknown field", document | {"surprise": 1})]
    return results


def main():
    _, catalogue = run("list", "--format", "json")
    lessons = catalogue["lessons"]
    with tempfile.TemporaryDirectory() as folder:
        broken = shutil.copytree(kernels, os.path.join(folder, "kernels"))
        for file in os.listdir(broken):
            with open(os.path.join(broken, file), "a") as text:
                text.write("this does not compile\n")
        results = check_runs(lessons, broken) + check_inspections(lessons, broken) + check_programs(folder)
    results += check_estimates() + check_machine_and_catalogue()
    sys.exit(0 if lessons and all(results) else 1)


if __name__ == "__main__":
    main()
