#!/usr/bin/env python3
"""check_readers_test.py GPULAB: programs that are not ours read what gpulab check writes for them.

Vim reads --format gcc into its quickfix list; this test is skipped where there is no Vim. GitHub's runner and VS Code's
problem matchers cannot run here; the tests use the patterns that they publish.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

GPULAB = ""
SIGNATURE = "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
# Line 4 reads what another thread has written in line 3, with no barrier.
RACE = SIGNATURE + """  __shared__ float t[1024]; const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) t[threadIdx.x] = A[item];
    if (item < size) C[item] = t[threadIdx.x ^ 1] + B[item];
}
"""
REFUSED = SIGNATURE + "  C[0] = nothing;\n  C[1] = nobody;\n}\n"
FOLDER = "a folder"


class Readers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gpulab-readers-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, FOLDER))
        self.files = []
        for name, text in (("first_kernel.1.cu", RACE), ("first_kernel.2.cu", REFUSED)):
            self.files.append(f"{FOLDER}/{name}")
            with open(os.path.join(self.folder, self.files[-1]), "w") as file:
                file.write(text)

    def check(self, output_format):
        command = [GPULAB, "check", *self.files, f"{FOLDER}/primes.cu", "--device", "simulator", "--format", output_format]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120).stdout

    def test_an_xml_parser_finds_a_test_case_for_each_file(self):
        cases = list(xml.etree.ElementTree.fromstring(self.check("junit")).iter("testcase"))
        self.assertEqual([*self.files, f"{FOLDER}/primes.cu"], [case.get("file") for case in cases])
        self.assertEqual(["failure", "failure", "error"], [case[0].tag for case in cases])

    def test_gradescope_finds_the_fields_that_it_requires(self):
        document = json.loads(self.check("gradescope"))
        for test in document["tests"]:
            self.assertIsInstance(test["score"], (int, float))
            self.assertIn(test["status"], ("passed", "failed"))
            self.assertIn(test["output_format"], ("text", "html", "simple_format", "md", "ansi"))
            self.assertIn(test["visibility"], ("hidden", "after_due_date", "after_published", "visible"))

    def test_sarif_has_what_code_scanning_requires(self):
        run = json.loads(self.check("sarif"))["runs"][0]
        for rule in run["tool"]["driver"]["rules"]:
            for field in ("shortDescription", "fullDescription", "help"):
                self.assertTrue(rule[field]["text"])
        race = run["results"][0]
        self.assertEqual("race-shared", race["ruleId"])
        self.assertEqual("a%20folder/first_kernel.1.cu",
                         race["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        lines = {place["physicalLocation"]["region"]["startLine"] for place in race["locations"] + race["relatedLocations"]}
        self.assertEqual({3, 4}, lines)

    def test_every_line_is_a_command_of_a_workflow(self):
        for line in self.check("github").splitlines():
            self.assertRegex(line, r"^::(error|notice) [a-z]+=[^,:]*(,[a-z]+=[^,:]*)*::[^\r\n]+$")

    def test_the_problem_matcher_gcc_takes_every_line_but_notes(self):
        lines = self.check("gcc").splitlines()
        taken = [re.match(r"^(.*?):(\d+):(\d*):?\s+(?:fatal\s+)?(warning|error):\s+(.*)$", line) for line in lines]
        for line, match in zip(lines, taken):
            self.assertEqual(": note: " in line, match is None, line)
        places = {match.group(1, 2, 3, 4) for match in taken if match}
        self.assertIn((self.files[1], "2", "10", "error"), places)
        self.assertIn((self.files[1], "3", "10", "error"), places)

    @unittest.skipUnless(shutil.which("vim"), "there is no vim")
    def test_vim_jumps_to_both_sides_of_a_race(self):
        make = f"{GPULAB} check --device simulator --format gcc '{FOLDER}/first_kernel.1.cu'"
        entries_as_lines = 'map(getqflist(), {_, q -> join([bufname(q.bufnr), q.lnum, q.col, q.type, q.valid], "|")})'
        subprocess.run(["vim", "-Nu", "NONE", "-es", "-c", "compiler gcc", "-c", f'let &makeprg = "{make}"', "-c", "silent make",
                        "-c", f'call writefile({entries_as_lines}, "list")', "-c", "qa!"],
                       cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60, check=True)
        with open(os.path.join(self.folder, "list")) as file:
            entries = [line.split("|") for line in file.read().splitlines()]
        self.assertEqual({self.files[0]}, {entry[0] for entry in entries})
        self.assertEqual({("3", "3"), ("4", "5")}, {(entry[1], entry[2]) for entry in entries[:2]})
        self.assertEqual("e", entries[0][3])
        self.assertNotIn("0", {entry[4] for entry in entries})


if __name__ == "__main__":
    GPULAB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
