#!/usr/bin/env python3
"""exercise_schemas_test.py GPULAB DATA: what gpulab check, progress, grade and class write matches their published schemas.

The validator is not ours, so that the schemas and the program cannot be wrong in the same way.
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile

import jsonschema

gpulab, data = os.path.abspath(sys.argv[1]), sys.argv[2]

SIGNATURE = "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size)"
ITEM = "const int item = blockIdx.x * blockDim.x + threadIdx.x;"
RIGHT = f"{SIGNATURE} {{ {ITEM} if (item < size) C[item] = A[item] + B[item]; }}\n"

# Texts of first_kernel.cu, each with its verdict and exit code.
FILES = {
    "right": (RIGHT, "passed", 0),
    "wrong": (RIGHT.replace("+ B", "- B"), "wrong", 1),
    "defect": (RIGHT.replace("if (item < size)", "__shared__ int n; n += item; if (item < size)"), "defect", 1),
    "out of bounds": (RIGHT.replace("if (item < size)", "if (item < 2 * size)"), "wrong", 1),
    "fault": (RIGHT.replace("item < size)", "item < size / (size - size))"), "wrong", 1),
    "printf without end": (RIGHT.replace("if (item", 'for (int i = 0; i < 1000000; ++i) printf("%d\\n", i); if (item'),
                           "wrong", 1),
    "endless loop": (RIGHT.replace("if (item < size)", "while (item < size)"), "wrong", 1),
    "not-a-number": (RIGHT.replace("B[item]", "__int_as_float(-1)"), "wrong", 1),
    "syntax error": (RIGHT + "}", "does_not_compile", 3),
    "no kernel": ("\n", "does_not_compile", 3),
}


def validator(name):
    with open(os.path.join(data, f"gpulab-{name}.schema.json")) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def run(folder, *words):
    environment = os.environ | {"GPULAB_TIME_LIMIT": "1"}
    done = subprocess.run([gpulab, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError as error:
        sys.exit(f"gpulab {' '.join(words)} (exit code {done.returncode}) did not print JSON: {error}\n{done.stderr}")


def matches(schema, what, document):
    problems = [f"{what}: {error.json_path}: {error.message}" for error in schema.iter_errors(document)]
    print("\n".join(problems) or f"{what}: matches")
    return not problems


def equal(what, actual, expected):
    if actual != expected:
        print(f"{what}: {actual!r}, expected {expected!r}")
    return actual == expected


def check_files(folder, schema):
    results = []
    for what, (text, verdict, expected_code) in FILES.items():
        with open(os.path.join(folder, "first_kernel.cu"), "w") as file:
            file.write(text)
        code, document = run(folder, "check", "--device", "simulator", "--format", "json")
        check = document["checks"][0]
        results += [matches(schema, what, document), equal(what, code, expected_code),
                    equal(what, document["exit_code"], expected_code),
                    equal(what, check["verdict"], verdict), equal(f"{what}, took time", check["seconds"] > 0, True)]
        if check["reproduce"]:
            words = shlex.split(check["reproduce"])[1:]
            again = run(folder, *words, "--format", "json")[1]["checks"][0]
            fields = ["verdict", "pattern", "line", "size", "block_size", "schedule", "seed", "options", "reproduce"]
            if check["pattern"] == "time-limit":  # a loop is stopped anywhere
                fields.remove("line")
            results += [equal(f"{what}, again: {field}", again[field], check[field]) for field in fields]
    return results


def grade_class(folder):
    grade_schema, class_schema = validator("grade"), validator("class")
    for learner, what in (("ada", "right"), ("bea", "wrong"), ("cai", "no kernel"), ("dan", "syntax error")):
        os.makedirs(os.path.join(folder, "class", learner))
        with open(os.path.join(folder, "class", learner, "first_kernel.cu"), "w") as file:
            file.write(FILES[what][0])
    with open(os.path.join(folder, "class", "dan", "mine.cu"), "wb") as file:
        file.write(b"\xff\x1b[2J")
    code, graded = run(folder, "grade", "class", "--sandbox", "auto", "--format", "json")
    verdicts = [row["verdict"] for row in graded["rows"]]
    os.mkdir(os.path.join(folder, "shared"))
    subprocess.run([gpulab, "progress", "--share", "shared", "--name", "Ada"], cwd=folder, check=True, capture_output=True)
    run(folder, "check", "--device", "simulator", "--format", "json")
    _, overview = run(folder, "class", "shared", "--format", "json")
    return [matches(grade_schema, "grade", graded), equal("grade", code, 0),
            equal("grade", verdicts, ["passed", "wrong", "empty", "does_not_compile", "misnamed"]),
            equal("refusal", grade_schema.is_valid(graded | {"complete": "yes"}), False),
            matches(class_schema, "class", overview), equal("class", len(overview["learners"]), 1),
            equal("refusal", class_schema.is_valid(overview | {"learners": 1}), False)]


def main():
    check, progress = validator("check"), validator("progress")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        _, before = run(folder, "progress", "--format", "json")
        results += check_files(folder, check)
        _, after = run(folder, "progress", "--format", "json")
        results += [matches(progress, "progress at first", before), matches(progress, "progress later", after),
                    equal("state", after["exercises"][0]["state"], "passed"),
                    equal("refusal", progress.is_valid(after | {"next": 7}), False)]
        results += grade_class(folder)
        os.remove(os.path.join(folder, "first_kernel.cu"))
        os.mkdir(os.path.join(folder, "first_kernel.cu"))
        code, nothing = run(folder, "check", "first_kernel.cu", "--format", "json")
        results += [matches(check, "no file", nothing), equal("no file", code, 2),
                    equal("no file", nothing["exit_code"], 2), equal("no file", [result["verdict"] for result in nothing["checks"]], ["not_checked"]),
                    equal("refusal", check.is_valid(nothing | {"surprise": 1}), False)]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
