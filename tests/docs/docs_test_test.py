#!/usr/bin/env python3
"""Tests which outputs docs_test.py takes for the same, and how it reads blocks."""
import sys
import unittest

sys.dont_write_bytecode = True  # nothing is written into the source tree
import docs_test

TEXT = """\
Text with `gpulab list`.

<!-- exit code 1 -->
<!-- numbers vary -->
```console
$ gpulab check
WRONG
$ gpulab hint
```

1. A step:
   ```cpp
   int x;
   ```
""".split("\n")


class Blocks(unittest.TestCase):
    def test_have_the_comments_above_them(self):
        session, code = docs_test.blocks_of(TEXT)
        self.assertEqual(session.comment("exit code"), "1")
        self.assertEqual(session.comment("numbers vary"), "")
        self.assertIsNone(session.comment("gpu"))
        self.assertEqual(code.comments, [])

    def test_lose_the_indentation_of_their_fence(self):
        self.assertEqual(docs_test.blocks_of(TEXT)[1].lines, ["int x;"])

    def test_with_commands_are_sessions(self):
        session, code = docs_test.blocks_of(TEXT)
        self.assertTrue(session.is_run)
        self.assertFalse(code.is_run)
        self.assertEqual(docs_test.commands_in(session), [("gpulab check", ["WRONG"]), ("gpulab hint", [])])


class Matching(unittest.TestCase):
    def test_takes_the_same_lines(self):
        self.assertTrue(docs_test.matches(["a", "b"], ["a", "b"], numbers_vary=False))
        self.assertFalse(docs_test.matches(["a", "b"], ["a", "c"], numbers_vary=False))
        self.assertFalse(docs_test.matches(["a"], ["a", "b"], numbers_vary=False))

    def test_takes_any_lines_for_three_dots(self):
        self.assertTrue(docs_test.matches(["a", "...", "d"], ["a", "b", "c", "d"], numbers_vary=False))
        self.assertFalse(docs_test.matches(["a", "...", "d"], ["a", "b", "c"], numbers_vary=False))

    def test_takes_other_numbers_where_they_vary(self):
        self.assertTrue(docs_test.matches(["shared  1.62 s"], ["shared  13.2 ms"], numbers_vary=True))
        self.assertTrue(docs_test.matches(["217 of 130 893"], ["1 217 of", "  4 102"], numbers_vary=True))
        self.assertFalse(docs_test.matches(["shared  1.62 s"], ["shared  13.2 ms"], numbers_vary=False))

    def test_takes_no_other_words_where_numbers_vary(self):
        self.assertFalse(docs_test.matches(["1 of 2 wrong"], ["1 of 2 right"], numbers_vary=True))
        self.assertFalse(docs_test.matches(["a race, wrong this time"], ["a race, right this time"], numbers_vary=True))

    def test_leaves_out_why_there_is_no_gpu(self):
        self.assertTrue(docs_test.matches(["no GPU can be used (no NVIDIA driver), so"],
                                          ["no GPU can be used (CUDA_ERROR_NO_DEVICE), so"], numbers_vary=False))


class Shortening(unittest.TestCase):
    def test_keeps_as_many_lines_before_and_after(self):
        self.assertEqual(docs_test.shortened_like(["a", "...", "z"], ["b", "c", "d", "y"]), ["b", "...", "y"])

    def test_keeps_all_lines_where_nothing_was_left_out(self):
        self.assertEqual(docs_test.shortened_like(["a"], ["b", "c"]), ["b", "c"])


class FakeProgram:
    """Has "bench --size"."""

    def help(self, word):
        return {"bench": "--size"}.get(word)

    def has(self, word, option):
        return option in self.help(word)


class CommandsInText(unittest.TestCase):
    def problems_of(self, text):
        problems = docs_test.Problems()
        docs_test.check_command(docs_test.ROOT / "README.md", 1, text, FakeProgram(), problems)
        return problems.all

    def test_have_the_names_and_options_of_today(self):
        self.assertEqual(self.problems_of("gpulab bench histogram --size 8"), [])
        self.assertEqual(len(self.problems_of("gpulab bench histogram --runs 7")), 1)
        self.assertEqual(len(self.problems_of("gpulab bnech histogram")), 1)
        self.assertEqual(len(self.problems_of("gpulab compare a.json b.json")), 1)


if __name__ == "__main__":
    unittest.main()
