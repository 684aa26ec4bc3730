#!/usr/bin/env python3
"""every_case_test.py CTEST SUITES PROGRAM: ctest runs each case of PROGRAM exactly once, in suites or one by one.

SUITES is the file by which ctest knows them. It is read in another folder, since otherwise the log of the ctest that
runs this test would be overwritten.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def cases_of(program):
    """Returns all cases of PROGRAM, as Suite.Case."""
    listed = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    suite, cases = "", []
    for line in listed.splitlines():
        name = line.split("#")[0].rstrip()
        if line.startswith("  "):
            cases.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return cases


def cases_in_ctest(ctest, suites, program, each_test):
    """Returns how often ctest runs each case, and in how many tests."""
    with tempfile.TemporaryDirectory(prefix="gpulab-suites-") as folder:
        (pathlib.Path(folder) / "CTestTestfile.cmake").write_text(f'include("{suites}")\n')
        shown = subprocess.run([ctest, "--test-dir", folder, "--show-only=json-v1"], check=True, capture_output=True,
                               text=True, env={**os.environ, "GPULAB_EACH_TEST": each_test}).stdout
    counts, tests = collections.Counter(), 0
    for test in json.loads(shown)["tests"]:
        command = test.get("command", [])
        if command and os.path.realpath(command[0]) == os.path.realpath(program):
            tests += 1
            filters = [word.split("=", 1)[1] for word in command if word.startswith("--gtest_filter=")]
            counts.update(filters[0].split(":"))
    return counts, tests


def main():
    ctest, suites, program = sys.argv[1:]
    cases = cases_of(program)
    if not cases or len(set(cases)) != len(cases):
        sys.exit(f"{program} lists {len(cases)} cases, {len(set(cases))} of them different")
    for each_test in ("", "1"):
        counts, tests = cases_in_ctest(ctest, suites, program, each_test)
        wrong = [f"{case} is run {counts[case]} times" for case in cases if counts[case] != 1]
        wrong += [f"{case} does not exist" for case in counts if case not in set(cases)]
        if wrong:
            sys.exit("\n".join(wrong[:20]))
        print(f"{len(cases)} cases in {tests} tests of ctest")


if __name__ == "__main__":
    main()
