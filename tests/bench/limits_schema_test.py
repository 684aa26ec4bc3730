#!/usr/bin/env python3
"""limits_schema_test.py GPULAB_TESTS DATA: the JSON of gpulab limits matches its published schema, which
refuses documents that lack something or have too much.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

import jsonschema

tests, data = sys.argv[1:]
with open(os.path.join(data, "gpulab-limits.schema.json")) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "limits.json")
    subprocess.run([tests, "--gtest_filter=LimitsJson.IsWrittenForTheTestOfItsSchema"],
                   env=os.environ | {"GPULAB_LIMITS_DOCUMENT": path}, check=True, stdout=subprocess.DEVNULL)
    with open(path) as file:
        document = json.load(file)

problems = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def must_not_match(what, change):
    changed = copy.deepcopy(document)
    change(changed)
    if validator.is_valid(changed):
        problems.append(f"{what} matches, and should not")


must_not_match("a case without its variant", lambda changed: changed["cases"][0].pop("variant"))
must_not_match("a simulated case without its threads", lambda changed: changed["simulated"][0].pop("launched_threads"))
must_not_match("a field of no meaning", lambda changed: changed["cases"][0].update(speed=1))
must_not_match("a ceiling in two units", lambda changed: changed["cases"][0]["ceiling"].update(operations_per_s=1))
must_not_match("a target in another measure", lambda changed: changed["cases"][0]["target"].update(gigabytes_per_s=2))

print("\n".join(problems) or "the document of gpulab limits matches its schema")
sys.exit(1 if problems else 0)
