#!/usr/bin/env python3
"""schema_test.py GPULAB SCHEMA KERNELS: what gpulab writes matches its published schema.

The validator is not ours, so that the schema and the program cannot be wrong in the same way.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import jsonschema

gpulab, schema_file, kernels = sys.argv[1:]


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


def main():
    with open(schema_file) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    _, catalogue = run("list", "--format", "json")
    names = [lesson["name"] for lesson in catalogue["lessons"]]
    results = []
    for lesson in catalogue["lessons"]:
        name, counts = lesson["name"], [option for option in lesson["options"] if option["kind"] == "count"]
        for size in ["2048", "4099"]:
            small = [word for option in counts
                     for word in (f"--{option['name']}", str(max(option["least"], min(option["default"], 65))))]
            words = ["--size", size] if lesson["default_size"] else small
            code, document = run_lesson(name, *words)
            what = f"{name} {' '.join(words)}, exit code {code}"
            results += [check(validator, what, document), code == document["exit_code"] == 0]

    with tempfile.TemporaryDirectory() as folder:
        broken = shutil.copytree(kernels, os.path.join(folder, "kernels"))
        for file in os.listdir(broken):
            with open(os.path.join(broken, file), "a") as text:
                text.write("this does not compile\n")
        code, document = run_lesson(names[0], "--kernels", broken)
        results += [code == 3, check(validator, f"{names[0]} that does not compile, exit code {code}", document)]

    results += [check_refused(validator, "an unknown field", document | {"surprise": 1}),
                check_refused(validator, "a document without variants",
                              {key: document[key] for key in document if key != "variants"})]
    sys.exit(0 if names and all(results) else 1)


if __name__ == "__main__":
    main()
