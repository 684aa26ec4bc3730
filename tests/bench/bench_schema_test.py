#!/usr/bin/env python3
"""bench_schema_test.py GPULAB_TESTS DATA: the JSON of gpulab bench and gpulab report matches the published schemas,
which refuse documents that lack something or have too much. Other readers can read the XML and the CSV.
"""
import copy
import csv
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import jsonschema

tests, data = sys.argv[1:]
problems = []


def read_schema(name):
    with open(os.path.join(data, name)) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def without_description(schema, path=""):
    """Yields the fields that have no description."""
    for name, field in schema.get("properties", {}).items():
        if "description" not in field and "$ref" not in field:
            yield f"{path}.{name}"
        yield from without_description(field, f"{path}.{name}")
    for name, part in schema.get("$defs", {}).items():
        yield from without_description(part, f"{path}#{name}")


def check(name, validator, document, changes):
    problems.extend(f"{name}: {error.json_path}: {error.message}" for error in validator.iter_errors(document))
    problems.extend(f"{name}: {field} has no description" for field in without_description(validator.schema))
    for what, change in changes.items():
        changed = copy.deepcopy(document)
        change(changed)
        if validator.is_valid(changed):
            problems.append(f"{name}: {what} matches, and should not")


with tempfile.TemporaryDirectory() as folder:
    filters = ("BenchJson.IsWrittenForTheTestOfItsSchema", "ComparisonFormats.AreWrittenForTheTestOfTheirSchemas",
               "BenchFormats.AreWrittenForTheTestOfTheirReaders", "CrossoverJson.IsWrittenForTheTestOfItsSchema")
    document = os.path.join(folder, "bench.json")
    subprocess.run([tests, "--gtest_filter=" + ":".join(filters)], check=True, stdout=subprocess.DEVNULL,
                   env=os.environ | {"GPULAB_BENCH_DOCUMENT": document, "GPULAB_COMPARISON_FOLDER": folder,
                                     "GPULAB_BENCH_FOLDER": folder,
                                     "GPULAB_CROSSOVER_DOCUMENT": os.path.join(folder, "crossover.json")})
    with open(os.path.join(folder, "crossover.json")) as file:
        crossover = json.load(file)
    with open(document) as file:
        bench = json.load(file)
    with open(document + ".interrupted") as file:
        interrupted = json.load(file)
    with open(document + ".planned") as file:
        planned = json.load(file)
    with open(os.path.join(folder, "comparison.json")) as file:
        comparison = json.load(file)
    for name in ("bench.xml", "comparison.xml"):
        cases = xml.etree.ElementTree.parse(os.path.join(folder, name)).iter("testcase")
        if not all(case.get("classname").startswith("gpulab.") for case in cases):
            problems.append(f"{name}: a test case is of no lesson")
    with open(os.path.join(folder, "bench.csv"), newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    if len(rows) != 4 or any(None in row or None in row.values() for row in rows):
        problems.append("bench.csv: not every row has every column")

check("gpulab.bench", read_schema("gpulab-bench.schema.json"), bench, {
    "a result without its counts": lambda changed: changed["results"][0].pop("counts"),
    "a field of no meaning": lambda changed: changed["results"][0].update(speed=1),
    "a time in no unit": lambda changed: changed["results"][0]["cold"].update(median_s="12 us"),
    "an outcome of no kind": lambda changed: changed["results"][0].update(observed="fine"),
    "another major version": lambda changed: changed.update(schema_version="2.0.0"),
})
check("gpulab.bench, interrupted", read_schema("gpulab-bench.schema.json"), interrupted, {
    "an exit code that no process has": lambda changed: changed.update(exit_code=256),
})
check("gpulab.bench, planned", read_schema("gpulab-bench.schema.json"), planned, {
    "a duration below 0": lambda changed: changed["plan"].update(estimated_s=-1),
    "rows without names": lambda changed: changed["plan"].update(order=[1]),
})
check("gpulab.compare", read_schema("gpulab-compare.schema.json"), comparison, {
    "a change without its verdict": lambda changed: changed["changes"][0].pop("verdict"),
    "a verdict of no kind": lambda changed: changed["changes"][0].update(verdict="slow"),
    "a side without documents": lambda changed: changed["before"].update(documents=[]),
    "an exit code of no meaning": lambda changed: changed.update(exit_code=2),
})
check("gpulab.crossover", read_schema("gpulab-crossover.schema.json"), crossover, {
    "a crossing of no kind": lambda changed: changed["crossovers"][0]["one_thread"].update(gpu_wins="sometimes"),
    "a point without its size": lambda changed: changed["crossovers"][0]["points"][0].pop("size"),
})
print("\n".join(problems) or "the documents of gpulab bench, compare and crossover match their schemas")
sys.exit(1 if problems else 0)
