#!/usr/bin/env python3
"""Usage: own_test.py GPULAB_SUITES. Checks that it counts rightly, with kernels whose defects are known."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
MANIFEST = pathlib.Path(__file__).parent / "own" / "manifest.json"


def run(*options):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run([PROGRAM, MANIFEST, "--json", file.name, *options], capture_output=True, text=True, check=False)
        return done, json.loads(file.read() or "{}")


class OwnKernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done, cls.result = run("--jobs", "2")
        cls.cases = {case["name"]: case for case in cls.result.get("cases", [])}

    def outcome(self, name, label="race"):
        return self.cases[name]["outcomes"][label]

    def test_one_bad_kernel_does_not_end_the_run(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(len(self.cases), 20)

    def test_each_outcome_is_told_from_the_others(self):
        for name in ("found", "missed", "noted", "silent", "silent with a note", "label wrong", "false alarm"):
            self.assertEqual(self.outcome(name), name)
        self.assertEqual(self.outcome("not manifest"), "does not manifest")

    def test_what_did_not_run_says_why(self):
        reasons = {"refused": "does not compile", "hang": "time limit", "too large a block": "launch refused",
                   "wrong arguments": "no such kernel"}
        for name, reason in reasons.items():
            self.assertEqual(self.cases[name]["not_run"], reason)
            self.assertEqual(self.outcome(name), "not run")
        self.assertIn("inline PTX", self.cases["refused"]["detail"])

    def test_the_summary_adds_up(self):
        race = next(counts for counts in self.result["classes"] if counts["class"] == "race")
        self.assertEqual((race["found"], race["missed"], race["noted"], race["does not manifest"]), (1, 1, 1, 1))
        self.assertEqual((race["false alarm"], race["label wrong"], race["not run"]), (1, 1, 4))
        self.assertEqual(sum(value for value in race.values() if isinstance(value, int)), 19)  # all but the counted one

    def test_a_kernel_that_is_stopped_is_a_defect(self):
        self.assertEqual(self.outcome("without end", "stop"), "found")

    def test_each_launch_finds_the_variables_of_the_file_as_written(self):
        self.assertEqual(self.outcome("each launch alone", "stop"), "silent")

    def test_arguments_arrive_whether_in_registers_or_in_memory(self):
        self.assertEqual(self.outcome("arguments", "stop"), "silent")

    def test_part_of_an_array_can_be_unwritten(self):
        self.assertEqual([defect["kind"] for defect in self.cases["unwritten"]["defects"]], ["uninitialised-global"])

    def test_defects_that_no_label_is_about_are_listed(self):
        self.assertEqual(self.outcome("besides"), "silent")
        self.assertRegex(self.done.stdout, r"besides, of kinds that the labels are not about: 3\n(.*\n)*    besides: out of bounds")

    def test_an_explanation_that_nothing_needs_is_reported(self):
        self.assertIn("stale: the manifest explains race, which is as the label says", self.done.stdout)

    def test_counts_are_compared_with_the_label_and_with_the_corrected_number(self):
        self.assertEqual([(count["equal"], count["corrected"]) for count in self.cases["counts"]["counts"]],
                         [(True, False), (False, True), (False, False), (True, False)])
        self.assertIn("counts: 2 of 4 equal, 1 equal to the corrected number", self.done.stdout)

    def test_a_wrong_manifest_is_refused_with_the_case_and_the_field(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "manifest.json"
            text = MANIFEST.read_text()
            for old, new, message in (('"expect": ["stop"]', '"expect": ["hang"]', "case 'without end': 'hang' is not among"),
                                      ('"race": ["race"]', '"race": ["racy"]', "no class of defects 'racy'")):
                file.write_text(text.replace(old, new))
                done = subprocess.run([PROGRAM, file], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)


unittest.main()
