#!/usr/bin/env python3
"""ci_test.py PROGRAM: the recipes in docs/ci/ and the workflow in README.md do what they say.

Their shell parts run here, without the steps that install something: in a repository of kernels whose last commit changes
a kernel. A wrapper runs the simulator in place of a GPU, and a script takes the place of Slurm's sbatch.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "ci"
PROGRAM = ""
KERNEL = "shared_histogram_private_copies.cu"
SPREAD, ONE_BANK = "(bin + copy) % lanes", "copy"  # where a thread reads its bins: all banks, or the same one

SIMULATED = """#!/bin/bash
if [[ -n ${BASE_ENDS_WITH:-} && ( "$*" == *"--kernels base/kernels"* || $PWD == */base ) ]]; then exit "$BASE_ENDS_WITH"; fi
if [[ -n ${FULL_DISK:-} && ( "$*" == *"--kernels base/kernels"* || $PWD == */base ) ]]; then
  export TMPDIR=$FULL_DISK XDG_CACHE_HOME=$FULL_DISK
fi
for word; do words+=("${word/#cuda/simulator}"); done
exec PROGRAM "${words[@]}"
"""

# Runs each task of an array when it is submitted, and ends as sbatch does, whatever becomes of the job.
SBATCH = """#!/bin/bash
tasks=none
while [[ $1 == --* ]]; do
  [[ $1 != --array=* ]] || tasks=$(seq 0 "${1##*-}")
  shift
done
for task in $tasks; do
  [[ $task == none ]] || export SLURM_ARRAY_TASK_ID=$task
  "$@" >> job.log 2>&1
  echo "$2 $?" >> codes
done
echo 4711
"""


class UniqueKeyLoader(yaml.SafeLoader):
    """Refuses duplicate keys, as GitHub and GitLab do; SafeLoader would take the last."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if len(keys) != len(set(keys)):
            raise yaml.YAMLError(f"duplicate key in line {node.start_mark.line + 1}: {keys}")
        return super().construct_mapping(node, deep)


def yaml_of(text):
    return yaml.load(text, UniqueKeyLoader)


def git(folder, *words):
    author = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    done = subprocess.run(["git", *author, *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


class Recipe(unittest.TestCase):
    """A folder with a home, programs, and a repository of kernels: origin, with a commit before and one now."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpulab-ci-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        programs = self.folder / "bin"
        programs.mkdir()
        for name, text in (("gpulab", SIMULATED.replace("PROGRAM", PROGRAM)), ("sbatch", SBATCH)):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.environment = {**os.environ, "HOME": str(self.folder), "XDG_CACHE_HOME": CACHE, "COLUMNS": "100",
                            "PATH": f"{programs}:{os.environ['PATH']}"}

    def make_repository(self, before, now):
        """Makes two commits, whose kernels read these bins or are changed so; returns the hash of the first."""
        origin = self.folder / "origin"
        self.run_here(f"gpulab show histogram --to {origin}/kernels && gpulab start first-kernel", self.folder)
        (origin / "exercises").mkdir()
        starter = (self.folder / "first_kernel.cu").read_text()
        (origin / "exercises" / "first_kernel.cu").write_text(
            re.sub(r"int item = 0;", "int item = blockIdx.x * blockDim.x + threadIdx.x;", starter))
        git(self.folder, "init", "--quiet", "--initial-branch=main", str(origin))
        kernel = origin / "kernels" / KERNEL
        original = kernel.read_text()
        self.assertIn(SPREAD, original)
        commits = []
        for change in (before, now):
            kernel.write_text(original if callable(change) else original.replace(SPREAD, change))
            if callable(change):
                change(self, kernel)
            git(origin, "add", ".")
            git(origin, "commit", "--quiet", "--allow-empty", "--message", "kernels")
            commits.append(git(origin, "rev-parse", "HEAD"))
            git(origin, "branch", "--force", f"commit-{len(commits)}")
        return commits[0]

    def clone(self, name, commit="main"):
        git(self.folder, "clone", "--quiet", "origin", name)
        git(self.folder / name, "checkout", "--quiet", commit)
        return self.folder / name

    def run_here(self, script, folder):
        """Runs the script as CI does, until a command fails; returns the exit code."""
        self.done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return self.done.returncode

    def assert_ends(self, expected, code):
        self.assertEqual(expected, code, self.done.stdout)


def unchanged(test, kernel):
    pass


def without(test, kernel):
    kernel.unlink()


def without_one_of_several(test, kernel):
    file = kernel.with_name("shared_histogram.cu")
    file.write_text(re.sub(r"__global__ void histogram_global_atomic.*?\n}\n", "", file.read_text(), flags=re.DOTALL))


def with_reduction(test, kernel):
    test.assert_ends(0, test.run_here("gpulab show reduction --to kernels", kernel.parents[1]))


def without_reduction(test, kernel):
    for file in kernel.parent.glob("reduction*"):
        file.unlink()


def replaced(old, new):
    return lambda test, kernel: kernel.write_text(kernel.read_text().replace(old, new))


class PullRequests:
    """Ordinary pull requests, which each recipe for CI judges alike."""

    ALLOW = {"ALLOW": "--allow histogram/private-copies:missing"}
    # Name, the base, the head, variables of the recipe, the exit code, what is said.
    ALL = [("adds a kernel", without, unchanged, {}, 0, "new: shared-histogram private-copies"),
           ("adds a lesson", unchanged, with_reduction, {"LESSONS": "histogram reduction"}, 0, "new: reduction"),
           ("removes a lesson", with_reduction, without_reduction, {"LESSONS": "histogram"}, 0, "same"),
           ("removes a kernel", unchanged, without, {}, 5, "on purpose, add --allow shared-histogram/private-copies:missing"),
           ("removes a kernel, and says so", unchanged, without, ALLOW, 0, "allowed"),
           ("comes after that", without, without, {}, 0, "same"),
           ("comes after that, and still says so", without, without, ALLOW, 0, "no variant here has this name"),
           ("removes a kernel of a file", unchanged, without_one_of_several, {}, 5, "--allow shared-histogram/global-atomic:missing"),
           ("removes a kernel of a file, and says so", unchanged, without_one_of_several,
            {"ALLOW": "--allow histogram/global-atomic:missing"}, 0, "allowed"),
           ("comes after that one", without_one_of_several, without_one_of_several, {}, 0, "same"),
           ("forgets the last elements", unchanged, replaced("if (first < leftovers)", "if (first < 0)"), {}, 1,
            " elements: "),
           ("repairs what does not compile", replaced("__global__", "__globl__"), unchanged, {}, 0, "right now"),
           ("repairs what is wrong", replaced(SPREAD, "0"), unchanged, {}, 0, "right now, and wrong before"),
           ("repairs what does not end", replaced("  int* const counts", "  while (size > 0) {}\n  int* const counts"),
            unchanged, {"GPULAB_TIME_LIMIT": "1"}, 0, "right now, and wrong before")]

    def clean(self):
        for name in ("origin", "workspace", "project", "first_kernel.cu"):
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def test_ordinary_pull_requests(self):
        environment = self.environment
        for name, before, now, variables, code, said in self.ALL:
            if variables.keys() - self.variables:
                continue
            with self.subTest(name):
                self.clean()
                self.environment = {**environment, **variables}
                self.assert_ends(code, self.counts(before, now))
                self.assertIn(said, re.sub(r"\s+", " ", self.done.stdout))


    def test_a_base_that_could_not_be_measured_fails_the_job(self):
        for code in ("2", "3", "4", "5"):
            with self.subTest(code=code):
                self.clean()
                self.environment["BASE_ENDS_WITH"] = code
                self.assertNotEqual(0, self.counts(SPREAD, ONE_BANK), self.done.stdout)

    def test_a_full_disk_under_the_base_fails_the_job(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)]).returncode:
            self.skipTest("only root can make a full disk")
        self.addCleanup(subprocess.run, ["umount", str(disk)])
        self.environment["FULL_DISK"] = str(disk)
        self.assertNotEqual(0, self.counts(SPREAD, ONE_BANK), self.done.stdout)

    def test_a_link_under_the_base_fails_the_job(self):
        def link(test, kernel):
            kernel.unlink()
            kernel.symlink_to("nowhere")
        self.assertNotEqual(0, self.counts(link, unchanged), self.done.stdout)


class GitHubActions(PullRequests, Recipe):
    variables = {"LESSONS", "ALLOW", "GPULAB_TIME_LIMIT"}

    def counts(self, before, now):
        return self.job("counts", before, now)[1]

    def setUp(self):
        super().setUp()
        self.workflow = yaml_of((RECIPES / "github-actions.yml").read_text())
        self.summary = self.folder / "summary.md"
        self.environment |= {**self.workflow["env"], **self.workflow["jobs"]["counts"]["env"], "SIZES": "2^10", "GPU_SIZES": "2^10",
                             "GITHUB_STEP_SUMMARY": str(self.summary)}

    # Conditions of steps, as functions of whether all steps before were successful and of their outcomes by id.
    CONDITIONS = {None: lambda success, outcomes: success,
                  "always()": lambda success, outcomes: True,
                  "${{ !cancelled() && steps.count.outcome != 'skipped' }}":
                      lambda success, outcomes: outcomes["count"] != "skipped"}

    def steps(self, name, is_installed=True):
        """Runs the steps of a job in the workspace as GitHub does; returns the exit code of the first that fails, or 0."""
        code, outcomes, output = 0, {}, ""
        for step in self.workflow["jobs"][name]["steps"]:
            runs = self.CONDITIONS[step.get("if")](code == 0, outcomes)
            if "run" in step and runs:
                ended = self.run_here(step["run"], self.folder / "workspace")
                self.done.stdout = output = output + self.done.stdout
            else:
                ended = 1 if "OWNER/gpulab" in step.get("uses", "") and not is_installed else 0
            outcomes[step.get("id")] = ("failure" if ended else "success") if runs else "skipped"
            code = code or ended
        return code

    def job(self, name, before, now):
        commit = self.make_repository(before, now)
        self.clone("workspace")
        self.clone("workspace/base", commit)
        return self.folder / "workspace", self.steps(name)

    def test_a_change_that_keeps_the_counts_passes(self):
        workspace, code = self.job("counts", SPREAD, SPREAD)
        self.assert_ends(0, code)
        self.assertTrue((workspace / "report.html").exists())

    def test_a_kernel_that_asks_for_more_fails_the_pull_request(self):
        workspace, code = self.job("counts", SPREAD, ONE_BANK)
        self.assert_ends(5, code)
        self.assertIn("shared\\_load\\_wavefronts", self.summary.read_text())
        self.assertIn("::error", self.done.stdout)
        self.assertIn("<failure", (workspace / "comparison.xml").read_text())

    def test_an_increase_that_is_allowed_passes(self):
        self.environment["ALLOW"] = "--allow histogram/private-copies:shared_load_wavefronts"
        workspace, code = self.job("counts", SPREAD, ONE_BANK)
        self.assert_ends(0, code)
        self.assertNotIn("::error", self.done.stdout)
        self.assertNotIn("<failure", (workspace / "comparison.xml").read_text())

    def test_a_misspelt_kernel_file_is_named_once(self):
        commit = self.make_repository(SPREAD, SPREAD)
        kernels = self.clone("workspace") / "kernels"
        self.clone("workspace/base", commit)
        (kernels / KERNEL).rename(kernels / KERNEL.replace("copies", "copy"))
        self.assert_ends(2, self.steps("counts"))
        self.assertIn("is a file of no lesson, so nothing was run or measured", self.done.stdout)
        self.assertNotIn("cannot read", self.done.stdout)

    def test_why_nothing_is_compared_is_said_once_and_annotated(self):
        commit = self.make_repository(SPREAD, SPREAD)
        kernels = self.clone("workspace") / "kernels"
        self.clone("workspace/base", commit)
        for kernel in kernels.iterdir():
            kernel.unlink()
        self.assert_ends(2, self.steps("counts"))
        said = [line for line in self.done.stdout.splitlines() if "so there is nothing to compare" in line]
        self.assertEqual(["::error ", "gpulab: "], [line[:8] for line in said], self.done.stdout)

    def test_a_wrong_kernel_fails_and_is_annotated(self):
        _, code = self.job("counts", SPREAD, "0")
        self.assert_ends(1, code)
        self.assertIn("::error file=kernels/" + KERNEL, self.done.stdout)

    def test_a_kernel_file_that_was_renamed_fails_the_pull_request(self):
        commit = self.make_repository(SPREAD, SPREAD)
        kernels = self.clone("workspace") / "kernels"
        self.clone("workspace/base", commit)
        (kernels / KERNEL).rename(kernels / "another_name.cu")
        self.assert_ends(5, self.steps("counts"))
        self.assertIn("missing", self.done.stdout)

    def test_the_pull_request_that_adds_the_kernels_passes(self):
        self.make_repository(SPREAD, SPREAD)
        (self.clone("workspace") / "base").mkdir()
        for job in ("counts", "times"):
            self.assert_ends(0, self.steps(job))
            self.assertIn("the base has no kernels of shared-histogram", self.done.stdout)

    def test_a_pull_request_that_adds_a_lesson_compares_the_others(self):
        for lessons, now, code in (("histogram reduction", SPREAD, 0), ("histogram reduction", ONE_BANK, 5),
                                   ("reduction", SPREAD, 0)):
            with self.subTest(lessons=lessons, now=now):
                shutil.rmtree(self.folder / "origin", ignore_errors=True)
                shutil.rmtree(self.folder / "workspace", ignore_errors=True)
                self.summary.unlink(missing_ok=True)
                commit = self.make_repository(SPREAD, now)
                workspace = self.clone("workspace")
                self.clone("workspace/base", commit)
                self.assert_ends(0, self.run_here("gpulab show reduction --to kernels", workspace))
                self.environment["LESSONS"] = lessons
                self.assert_ends(code, self.steps("counts"))
                self.assertIn("- new: reduction", self.summary.read_text())
                self.assertIn("the base has no kernels of reduction", self.summary.read_text())
                self.assertIn("reduction", (workspace / "head.json").read_text())
                self.assert_ends(code, self.steps("times"))

    def test_the_new_side_must_have_the_kernels_of_every_lesson(self):
        self.environment["LESSONS"] = "histogram reduction"
        _, code = self.job("counts", SPREAD, SPREAD)
        self.assert_ends(2, code)
        self.assertIn("--kernels kernels has no reduction.cu, which reduction needs", self.done.stdout)

    def test_nothing_is_compared_where_nothing_was_counted(self):
        self.make_repository(SPREAD, SPREAD)
        self.clone("workspace")
        self.assertEqual(1, self.steps("counts", is_installed=False))
        self.assertNotIn("nothing to compare with", self.done.stdout)

    def test_a_wrong_exercise_fails_the_pull_request_and_is_annotated(self):
        self.make_repository(SPREAD, SPREAD)
        workspace = self.clone("workspace")
        self.assert_ends(0, self.steps("check"))
        shutil.copy(self.folder / "first_kernel.cu", workspace / "exercises")
        self.assert_ends(1, self.steps("check"))
        self.assertIn("::error file=exercises/first_kernel.cu,line=", self.done.stdout)
        self.assertIn("<failure", (workspace / "exercises.xml").read_text())

    def test_both_kernels_are_measured_in_turn_on_a_gpu(self):
        workspace, code = self.job("times", SPREAD, ONE_BANK)
        self.assert_ends(5, code)
        self.assertEqual(5, json.loads((workspace / "times" / "new.json").read_text())["plan"]["processes"])
        self.assertIn("regressed", self.summary.read_text())

    def test_what_may_become_slower_passes_on_a_gpu(self):
        self.environment["ALLOW"] = "--allow histogram/private-copies:shared_load_wavefronts"
        self.assert_ends(0, self.job("times", SPREAD, ONE_BANK)[1])
        self.assertNotIn("regressed", self.summary.read_text())


class Readme(PullRequests, Recipe):
    """The steps in README.md do the same at the lesson's own size."""

    variables = {"GPULAB_TIME_LIMIT"}

    def counts(self, before, now):
        return next((code for code in self.steps(before, now) if code), 0)

    def steps(self, before, now, has_base=True):
        commit = self.make_repository(before, now)
        self.clone("project")
        self.clone("project/base", commit)
        if not has_base:
            shutil.rmtree(self.folder / "project" / "base" / "kernels")
        text = re.search(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
        return [self.run_here(step["run"], self.folder / "project")
                for step in yaml_of(text)["steps"] if "run" in step]

    def test_its_steps_pass_without_a_change(self):
        self.assertEqual([0, 0, 0], self.steps(SPREAD, SPREAD))

    def test_its_last_step_fails_if_a_kernel_asks_for_more(self):
        self.assertEqual([0, 0, 5], self.steps(SPREAD, ONE_BANK))

    def test_they_measure_the_first_kernels(self):
        self.assertEqual([0, 0, 0], self.steps(SPREAD, SPREAD, has_base=False))

    def test_its_last_step_fails_if_the_first_kernel_is_wrong(self):
        self.assertEqual([0, 0, 1], self.steps(SPREAD, "0", has_base=False))


class Action(Recipe):
    """docs/ci/action.yml, beside a fake script/install that builds nothing."""

    def setUp(self):
        super().setUp()
        self.action = self.folder / "action"
        for folder in ("docs/ci", "script"):
            (self.action / folder).mkdir(parents=True)
        shutil.copy(RECIPES / "action.yml", self.action / "docs" / "ci")
        install = self.action / "script" / "install"
        install.write_text('#!/bin/bash\necho builds >> "$HOME/builds"\nmkdir -p "$1/bin"\n'
                           'ln -s "$(command -v gpulab)" "$1/bin/gpulab"\n')
        install.chmod(0o755)
        for name in ("OUTPUT", "PATH"):
            self.environment["GITHUB_" + name] = str(self.folder / name.lower())
        self.environment["GITHUB_ACTION_PATH"] = str(self.action / "docs" / "ci")

    def install(self):
        """Runs the steps of the action; returns the key of the cache and the folder for PATH."""
        steps = yaml_of((RECIPES / "action.yml").read_text())["runs"]["steps"]
        for step in steps:
            if "run" in step:
                self.assertEqual("bash", step["shell"])
                self.assert_ends(0, self.run_here(step["run"], self.folder))
                key = (self.folder / "output").read_text().splitlines()[-1]
                self.environment["KEY"] = key.removeprefix("key=")
        return key, (self.folder / "path").read_text().splitlines()[-1]

    def test_it_builds_once_and_puts_the_program_on_the_path(self):
        key, folder = self.install()
        self.assertRegex(key, r"^key=gpulab-[a-z]+-[0-9.]+-[a-z0-9_]+-[0-9a-f]{64}$")
        self.assertTrue(pathlib.Path(folder, "gpulab").exists())
        self.assertIn("gpulab", self.done.stdout)
        self.assertEqual((key, folder), self.install())
        self.assertEqual("builds\n", (self.folder / "builds").read_text())

    def test_another_source_is_built_into_another_folder(self):
        key, folder = self.install()
        (self.action / "script" / "build").write_text("changed")
        other_key, other_folder = self.install()
        self.assertNotEqual(key, other_key)
        self.assertNotEqual(folder, other_folder)
        self.assertEqual("builds\n" * 2, (self.folder / "builds").read_text())


class GitLab(PullRequests, Recipe):
    variables = {"LESSONS", "ALLOW", "GPULAB_TIME_LIMIT"}

    def counts(self, before, now):
        return self.job("counts", before, now)[1]

    def setUp(self):
        super().setUp()
        self.pipeline = yaml_of((RECIPES / "gitlab-ci.yml").read_text())
        self.environment |= {**self.pipeline["variables"], **self.pipeline["counts"]["variables"], "SIZES": "2^10", "GPU_SIZES": "2^10"}

    def job(self, name, before, now):
        self.environment["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = self.make_repository(before, now)
        project = self.clone("project")
        code = self.run_here("\n".join(self.pipeline[name]["script"]), project)
        return project, code

    def test_a_right_exercise_passes(self):
        _, code = self.job("check", SPREAD, SPREAD)
        self.assert_ends(0, code)

    def test_a_wrong_exercise_fails_and_is_in_the_log_and_in_the_report(self):
        self.make_repository(SPREAD, SPREAD)
        project = self.clone("project")
        shutil.copy(self.folder / "first_kernel.cu", project / "exercises")
        self.assert_ends(1, self.run_here("\n".join(self.pipeline["check"]["script"]), project))
        self.assertIn("WRONG", self.done.stdout)
        self.assertIn("<failure", (project / self.pipeline["check"]["artifacts"]["reports"]["junit"]).read_text())

    def test_a_kernel_that_asks_for_less_passes(self):
        project, code = self.job("counts", ONE_BANK, SPREAD)
        self.assert_ends(0, code)
        self.assertNotIn("<failure", (project / "comparison.xml").read_text())

    def test_a_kernel_that_asks_for_more_fails_the_merge_request(self):
        project, code = self.job("counts", SPREAD, ONE_BANK)
        self.assert_ends(5, code)
        for file in self.pipeline["counts"]["artifacts"]["paths"]:
            self.assertTrue((project / file).exists(), file)

    def test_a_wrong_kernel_fails_the_merge_request_and_is_reported(self):
        project, code = self.job("counts", SPREAD, "0")
        self.assert_ends(1, code)
        self.assertIn("<failure", (project / "comparison.xml").read_text())

    def test_a_merge_request_that_adds_a_lesson_compares_the_others(self):
        self.environment |= {"CI_MERGE_REQUEST_DIFF_BASE_SHA": self.make_repository(SPREAD, SPREAD),
                             "LESSONS": "histogram reduction"}
        project = self.clone("project")
        self.assert_ends(0, self.run_here("gpulab show reduction --to kernels", project))
        self.assert_ends(0, self.run_here("\n".join(self.pipeline["counts"]["script"]), project))
        self.assertIn("new: reduction", self.done.stdout)

    def test_both_kernels_are_measured_in_turn_on_a_gpu(self):
        project, code = self.job("times", SPREAD, ONE_BANK)
        self.assert_ends(5, code)
        self.assertIn("<failure", (project / "times.xml").read_text())
        self.assert_ends(0, self.run_here("\n".join(self.pipeline["times"]["after_script"]), project))

    def test_what_may_become_slower_passes_on_a_gpu(self):
        self.environment["ALLOW"] = "--allow histogram/private-copies:shared_load_wavefronts"
        project, code = self.job("times", SPREAD, ONE_BANK)
        self.assert_ends(0, code)
        self.assertNotIn("<failure", (project / "times.xml").read_text())

    def test_the_default_branch_has_a_web_page(self):
        project, code = self.job("pages", SPREAD, SPREAD)
        self.assert_ends(0, code)
        self.assertIn("<html", (project / "public" / "index.html").read_text())


class Slurm(Recipe):
    def submit(self, *words):
        script = self.folder / "slurm-array.sh"
        text = (RECIPES / "slurm-array.sh").read_text()
        text = re.sub(r"^lessons=.*$", "lessons=(histogram)", text, flags=re.M)
        script.write_text(re.sub(r"^sizes=.*$", "sizes=(2^10 2^12)", text, flags=re.M))
        script.chmod(0o755)
        (self.folder / "codes").write_text("")
        code = self.run_here(f"{script} submit {' '.join(words)}", self.folder)
        return code, (self.folder / "codes").read_text().split("\n")[:-1]

    def test_the_sizes_of_two_runs_are_compared_when_all_have_ended(self):
        self.assertEqual((0, ["measure 0"] * 2), self.submit("base"))
        self.assertEqual((0, ["measure 0"] * 2 + ["compare 0"]), self.submit("new", "base"))
        self.assertIn("same", (self.folder / "new.txt").read_text())
        self.assertIn("<html", (self.folder / "new.html").read_text())
        rows = json.loads((self.folder / "new.json").read_text())["results"]
        self.assertEqual({1024, 4096}, {row["size"] for row in rows})

    def test_a_size_that_was_lost_fails_and_another_array_is_left_out(self):
        for name in ("base", "base-2", "new"):
            self.submit(name)
        (self.folder / "new-1.json").unlink()
        self.assertEqual(5, self.run_here(f"{self.folder}/slurm-array.sh compare new base", self.folder))
        self.assertIn("fails by --strict: ", (self.folder / "new.txt").read_text())
        self.assertNotIn("twice", self.done.stdout)


class Gradescope(Recipe):
    def test_a_submission_gets_a_point_for_what_passes_and_none_for_what_is_missing(self):
        for name in ("submission", "results"):
            (self.folder / name).mkdir()
        for lesson in ("first-kernel", "streams"):
            self.assert_ends(0, self.run_here(f"gpulab solution {lesson} --anyway", self.folder))
            name = "first_kernel.cu" if lesson == "first-kernel" else "streams.txt"
            (self.folder / "submission" / name).write_text(self.done.stdout)
        self.environment["AUTOGRADER"] = str(self.folder)
        self.assert_ends(0, self.run_here(str(RECIPES / "gradescope.sh"), self.folder))
        tests = json.loads((self.folder / "results" / "results.json").read_text())["tests"]
        self.assertEqual([1, 0, 1], [test["score"] for test in tests])
        self.assertIn("there is no vector_multiply.cu", tests[1]["output"])


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    with tempfile.TemporaryDirectory(prefix="gpulab-ci-cache-") as empty:
        CACHE = os.environ.get("XDG_CACHE_HOME", empty)
        unittest.main(exit=True)
