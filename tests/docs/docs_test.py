#!/usr/bin/env python3
"""docs_test.py PROGRAM [--update] [--only commands|text] [FILE...]: README.md and docs/ say what is true.

commands   Runs the sessions of each file in order, in a scratch folder, and compares what they print.
text       Links, sizes, the table of lessons, and whether every command and option that is named exists.
--update   Writes what was printed into the files instead of complaining.

A session is a fenced block with lines that start with "$ ". Those lines are commands, the lines below each one are
what it prints, and a line "..." stands for any lines. HTML comments above a block say how it is treated:

  <!-- numbers vary -->        numbers, units of time and line breaks may differ
  <!-- exit code 1 -->         some of its commands end with this code, all others with 0
  <!-- on one core -->         blocks run in order, so that the same threads are named every time
  <!-- gpu -->                 needs a GPU: not run
  <!-- needs: PROGRAM -->      not run where that program is missing, or that header (needs: thrust/version.h)
  <!-- not run: REASON -->     not run
  <!-- edit: FILE -->          above a diff: makes this change in the scratch folder
  <!-- make: FILE -->          above any block: writes it there
"""
import argparse
import difflib
import html
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = "100"
TIME_LIMIT_S = 120  # of one command, which then ends with code 124
LARGEST_README = 9000  # bytes
EXAMPLE_LESSON = "scale"  # of CONTRIBUTING.md, which does not exist

COMMENT = re.compile(r"<!-- (.*?) -->\s*$")
NUMBER = re.compile(r"(?<![A-Za-z_\d-])\d+(?: \d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")
DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
TIME = re.compile(r"# (?:ns|us|ms|s)\b")
HEADER_FOLDERS = ["/usr/local/cuda/include/cccl", "/usr/local/cuda/include", "/usr/include"]
NO_GPU = re.compile(r"no GPU can be used \([^)]*\)")


# ---- The blocks of a file -----------------------------------------------------------------------------------------


class Block:
    """A fenced block: its lines lie in lines[first:last] of the file."""

    def __init__(self, first, language, comments):
        self.first, self.last, self.language, self.comments = first, first, language, comments
        self.lines = []

    def comment(self, label):
        """Returns the text after the label in a comment above the block; None without such a comment."""
        found = [text[len(label):].strip() for text in self.comments if text.startswith(label)]
        return found[0] if found else None

    @property
    def is_session(self):
        return any(line.startswith("$ ") for line in self.lines)

    @property
    def is_run(self):
        needed = self.comment("needs:")
        return (self.is_session and self.comment("gpu") is None and self.comment("not run:") is None
                and (needed is None or is_installed(needed)))


def is_installed(needed):
    if needed.endswith(".h"):
        return any(pathlib.Path(folder, needed).exists() for folder in HEADER_FOLDERS)
    return shutil.which(needed) is not None


def comments_above(lines, fence):
    found, at = [], fence - 1
    while at >= 0 and (not lines[at].strip() or COMMENT.match(lines[at].strip())):
        if lines[at].strip():
            found.append(COMMENT.match(lines[at].strip())[1])
        at -= 1
    return found


def blocks_of(lines):
    blocks, open_block, fence, indent = [], None, "", 0
    for number, line in enumerate(lines):
        start = re.match(r"( *)(`{3,})(\w*)", line)
        if open_block is None and start:
            indent, fence = len(start[1]), start[2]
            open_block = Block(number + 1, start[3], comments_above(lines, number))
        elif open_block is not None and line.strip() == fence:
            open_block.last = number
            open_block.lines = [text[indent:] for text in lines[open_block.first:number]]
            blocks.append(open_block)
            open_block = None
    return blocks


def commands_in(block):
    """Returns (command, expected lines) for each command of a session."""
    found = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


# ---- Printed and expected output ----------------------------------------------------------------------------------


def without_reason(line):
    return NO_GPU.sub("no GPU can be used (...)", line.rstrip())


def flat(text):
    """Returns the words of a text without its numbers, which vary, as do line breaks and widths of columns."""
    return " ".join(TIME.sub("# s", NUMBER.sub("#", DATE.sub("#", text))).split())


def matches(expected, printed, numbers_vary):
    """Returns whether the printed lines are the expected ones; "..." stands for any lines."""
    pieces = [[]]
    for line in expected:
        if line.strip() == "...":
            pieces.append([])
        else:
            pieces[-1].append(without_reason(line))
    whole = "\n".join(map(without_reason, printed)).strip("\n")
    texts = ["\n".join(piece).strip("\n") for piece in pieces]
    if numbers_vary:
        whole, texts = flat(whole), [flat(text) for text in texts]
    return re.fullmatch(r"[\s\S]*".join(map(re.escape, texts)), whole) is not None


def shortened_like(expected, printed):
    """Returns the printed lines, with "..." as in the expected ones: as many lines before and after it."""
    places = [number for number, line in enumerate(expected) if line.strip() == "..."]
    if not places:
        return printed
    before, after = places[0], len(expected) - 1 - places[-1]
    if before + after >= len(printed):
        return printed
    return printed[:before] + ["..."] + printed[len(printed) - after:]


class Scratch:
    """A folder in which the commands of one file are run, as a user with a home of their own."""

    def __init__(self, program, cache):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpulab-docs-"))
        self.here = self.folder / "work"
        self.here.mkdir()
        (self.here / "data").symlink_to(ROOT / "data")
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "gpulab").symlink_to(program)
        self.environment = {
            **os.environ, "HOME": str(self.folder), "XDG_CACHE_HOME": cache, "COLUMNS": COLUMNS, "LC_ALL": "C.UTF-8",
            "TERM": "dumb", "CUDA_VISIBLE_DEVICES": "", "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        for name in ("GPULAB_TIME_LIMIT", "GPULAB_CXX", "NO_COLOR", "PAGER"):
            self.environment.pop(name, None)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, command, one_core):
        """Returns the exit code and the printed lines. The next command begins in the folder in which this one ends."""
        cores = os.sched_getaffinity(0)
        final_folder = self.folder / "folder"
        script = f"{command}\ncode=$?\npwd > {shlex.quote(str(final_folder))}\nexit $code"
        done = subprocess.run(["timeout", str(TIME_LIMIT_S), "bash", "-c", script], cwd=self.here,
                              env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace",
                              preexec_fn=lambda: os.sched_setaffinity(0, {min(cores)} if one_core else cores))
        if final_folder.exists():
            self.here = pathlib.Path(final_folder.read_text().strip())
        return done.returncode, [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")]

    def edit(self, name, diff):
        """Makes the change of a diff block; returns what is wrong with it, if anything."""
        file = self.here / name
        text = file.read_text() if file.exists() else ""
        before = "".join(line[1:] + "\n" for line in diff if line[:1] in " -")
        after = "".join(line[1:] + "\n" for line in diff if line[:1] in " +")
        if text.count(before) != 1:
            return f"the lines of this diff stand {text.count(before)} times in {name}"
        file.write_text(text.replace(before, after))
        return None


# ---- commands -----------------------------------------------------------------------------------------------------


class Problems:
    def __init__(self):
        self.all = []

    def add(self, file, line, text):
        self.all.append(f"{file.relative_to(ROOT)}:{line}: {text}")


def run_session(block, scratch, file, problems, update):
    """Runs the commands of a block. Returns its lines as they should be."""
    numbers_vary = block.comment("numbers vary") is not None
    wanted_code = int(block.comment("exit code") or 0)
    commands, codes, lines = commands_in(block), [], []
    for number, (command, expected) in enumerate(commands):
        code, printed = scratch.run(command, block.comment("on one core") is not None)
        codes.append(code)
        unexpected = code not in (0, wanted_code)
        if unexpected:
            problems.add(file, block.first, f"$ {command}\nended with code {code}:\n" + "\n".join(printed))
        is_expected = matches(expected, printed, numbers_vary)
        if not is_expected and not update:
            changes = difflib.unified_diff(expected, printed, "in the file", "printed", lineterm="")
            problems.add(file, block.first, f"$ {command}\nprints something else:\n" + "\n".join(changes))
        shown = expected if is_expected or unexpected else shortened_like(expected, printed)
        lines += ["$ " + command] + [line for line in shown if shown != [""]]
    if wanted_code not in codes:
        problems.add(file, block.first, f"no command of this block ended with code {wanted_code}")
    return lines


def check_commands(file, program, cache, problems, update):
    lines = file.read_text().split("\n")
    scratch, replaced = Scratch(program, cache), []
    try:
        for block in blocks_of(lines):
            if (name := block.comment("edit:")) is not None:
                if wrong := scratch.edit(name, block.lines):
                    problems.add(file, block.first, wrong)
            elif (name := block.comment("make:")) is not None:
                (scratch.here / name).parent.mkdir(parents=True, exist_ok=True)
                (scratch.here / name).write_text("\n".join(block.lines) + "\n")
            elif block.is_run:
                new = run_session(block, scratch, file, problems, update)
                if new != block.lines:
                    replaced.append((block, new))
    finally:
        scratch.close()
    if update and replaced:
        for block, new in reversed(replaced):
            lines[block.first:block.last] = new
        file.write_text("\n".join(lines))


def words_of_picture(file):
    return flat(html.unescape(re.sub(r"<[^>]*>", "", "\n".join(re.findall(r"<text.*</text>", file.read_text())))))


def check_picture(program, problems, update):
    """Checks that docs/check.svg shows what the program prints now."""
    picture = ROOT / "docs" / "check.svg"
    with tempfile.TemporaryDirectory(prefix="gpulab-picture-") as folder:
        new_picture = pathlib.Path(folder) / "check.svg"
        try:
            os.close(os.openpty()[0])
        except OSError as error:
            print(f"{picture.name} is not compared: this machine has no pseudo-terminals ({error})")
            return
        subprocess.run([ROOT / "script" / "make-picture", program, new_picture], check=True)
        if words_of_picture(new_picture) == words_of_picture(picture):
            return
        if update:
            shutil.copy(new_picture, picture)
        else:
            problems.add(picture, 1, "the program prints something else now: script/make-picture PROGRAM")


def check_pictures(program, problems, update):
    """Checks that docs/pictures/ has what the program draws now."""
    pictures = ROOT / "docs" / "pictures"
    with tempfile.TemporaryDirectory(prefix="gpulab-pictures-") as folder:
        subprocess.run([ROOT / "script" / "make-pictures", program, folder], check=True)
        for new_picture in sorted(pathlib.Path(folder).iterdir()):
            picture = pictures / new_picture.name
            if picture.exists() and picture.read_text() == new_picture.read_text():
                continue
            if update:
                shutil.copy(new_picture, picture)
            else:
                problems.add(picture, 1, "the program draws something else now: script/make-pictures PROGRAM")


# ---- text ---------------------------------------------------------------------------------------------------------


class Program:
    """The program under test: its lessons, and the help of each of its commands."""

    def __init__(self, path):
        self.path, self.helps = path, {}
        listed = json.loads(self.output("list", "--format", "json"))["lessons"]
        self.lessons = {lesson["name"]: lesson["title"] for lesson in listed}

    def output(self, *words):
        done = subprocess.run([self.path, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_S)
        return done.stdout if done.returncode == 0 else None

    def help(self, word):
        """Returns the help of a command, or None if there is none; LESSON and COMMAND stand for any."""
        if word in ("LESSON", EXAMPLE_LESSON):
            return "\n".join(self.help(lesson) for lesson in self.lessons)
        if word == "COMMAND":
            return self.help("")
        if word not in self.helps:
            self.helps[word] = self.output(*([word] if word else []), "--help")
        return self.helps[word]

    def has(self, word, option):
        taken_from_lessons = ("bench", "check", "inspect", "estimate")
        texts = [self.help(word)] + ([self.help("LESSON")] if word in taken_from_lessons else [])
        return any(re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) for text in texts)

    def all_helps(self, words):
        return "\n".join(self.help(word) or "" for word in words) + self.help("LESSON") + self.help("")


# Names that commands had once; gpulab says the new ones.
OLD_NAMES = ("ab", "compare", "crossover", "devices", "kernels", "reset")


def commands_named(file, lines):
    """Yields (line, text) of each command that the file names: in sessions and in `code` of its prose."""
    blocks = blocks_of(lines)
    inside = {number for block in blocks for number in range(block.first - 1, block.last + 1)}
    for block in blocks:
        for command, _ in commands_in(block):
            yield block.first, command
    prose = ["" if number in inside else line for number, line in enumerate(lines)]
    for number, line in enumerate(prose):
        for text in re.findall(r"`([^`]+)`", line):
            yield number + 1, text


def check_command(file, line, text, program, problems):
    """Checks that a command line names a command that exists, with options that it has, or a script that exists."""
    for part in re.split(r"\|\||&&|[|;&]", text.replace("\\|", "/")):
        try:
            words = shlex.split(part)
        except ValueError:
            words = part.split()
        while words and re.match(r"\w+=|taskset$|-c$|\d$", words[0]):  # VARIABLE=value or taskset -c N
            words = words[1:]
        if words and words[0].startswith("script/") and not (ROOT / words[0]).exists():
            problems.add(file, line, f"there is no {words[0]}")
        if not words or words[0] not in ("gpulab", "script/run"):
            continue
        word = next((word for word in words[1:] if not word.startswith("-")), "")
        if word in ("...", "…", ">") or (not word and words[1:2] == ["--version"]):
            continue
        if word in OLD_NAMES:
            problems.add(file, line, f"'{word}' is the old name of a command: {text}")
            continue
        if program.help(word) is None:
            problems.add(file, line, f"there is no command '{word}': {text}")
            continue
        for option in (word.split("=")[0].strip("[].,") for word in words if word.lstrip("[").startswith("--")):
            if not program.has(word, option.lstrip("[")):
                problems.add(file, line, f"gpulab {word} has no option {option}: {text}")


def check_names(file, lines, program, problems):
    for line, text in commands_named(file, lines):
        check_command(file, line, text, program, problems)


def check_options(file, lines, program, problems):
    """Checks that some command has each option that the manual names alone."""
    words = ("check", "grade", "class", "watch", "hint", "solution", "diff", "progress", "show", "inspect", "bench", "report", "estimate",
             "limits", "list", "demo", "doctor", "next", "start", "run")
    everything = program.all_helps(words)
    for line, text in commands_named(file, lines):
        if not text.startswith("--"):
            continue
        for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", text):
            if not re.search(rf"(?<![\w-]){option}(?![\w-])", everything):
                problems.add(file, line, f"no command has the option {option}")


def check_paths(file, lines, problems):
    """Checks that paths of the repository exist; a "*" stands for any text, and so does a word in CAPITALS."""
    for line, text in commands_named(file, lines):
        if not re.fullmatch(r"(src|exercises|kernels|tests|script|docs|data|cmake)/[\w./*-]*", text):
            continue
        pattern = re.sub(r"\b[A-Z]+\b", "*", text.rstrip("/"))
        if EXAMPLE_LESSON not in text and not any(ROOT.glob(pattern)):
            problems.add(file, line, f"there is no {text}")


def anchor_of(heading):
    """Returns the anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def check_links(file, lines, problems):
    prose = re.sub(r"```[\s\S]*?```", lambda block: "\n" * block[0].count("\n"), "\n".join(lines))
    for found in re.finditer(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", prose):
        target, line = found[1] or found[2], prose.count("\n", 0, found.start()) + 1
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        target_file = (file.parent / path).resolve() if path else file
        if not target_file.exists():
            problems.add(file, line, f"a link to {target}, which does not exist")
        elif anchor:
            headings = re.findall(r"^#+ (.*)$", target_file.read_text(), re.MULTILINE)
            if anchor not in map(anchor_of, headings):
                problems.add(file, line, f"{path or file.name} has no heading #{anchor}")


def check_sessions_are_marked(file, lines, problems):
    """Checks that commands in blocks start with "$ ", since others would never be run."""
    for block in blocks_of(lines):
        if not block.is_session and any(re.match(r"(gpulab|script/\w+|cmake|git|\./)\s", line) for line in block.lines):
            problems.add(file, block.first, 'commands in a block start with "$ ", or they are never run')


def check_lessons(program, problems, update):
    """Checks that README's table of lessons is complete, and in the order of the course."""
    file = ROOT / "README.md"
    lines = file.read_text().split("\n")
    heading = next((number for number, line in enumerate(lines) if line.startswith("## The lessons")), None)
    if heading is None:
        problems.add(file, 1, 'there is no heading "The lessons"')
        return
    rows = {}
    for number in range(heading + 1, len(lines)):
        if lines[number].startswith("#"):
            break
        if row := re.match(r"\| `([a-z0-9-]+)`", lines[number]):
            rows[row[1]] = number
    if list(rows) == list(program.lessons):
        return
    if update and rows:
        places, texts = sorted(rows.values()), {lesson: lines[number] for lesson, number in rows.items()}
        lines[places[0]:places[-1] + 1] = [
            texts.get(lesson, f"| `{lesson}` | {title} |") for lesson, title in program.lessons.items()]
        file.write_text("\n".join(lines))
        return
    for lesson in program.lessons:
        if lesson not in rows:
            problems.add(file, heading + 1, f"the table of lessons lacks {lesson}")
    for lesson, number in rows.items():
        if lesson not in program.lessons:
            problems.add(file, number + 1, f"gpulab list has no lesson {lesson}")
    if set(rows) == set(program.lessons):
        problems.add(file, heading + 1, "the order in gpulab list is another one: " + ", ".join(program.lessons))


def check_readme_size(problems):
    size = (ROOT / "README.md").stat().st_size
    if size > LARGEST_README:
        problems.add(ROOT / "README.md", 1, f"{size} bytes; at most {LARGEST_README}")


def check_index(problems):
    """Checks that docs/README.md names every page of the manual."""
    index = ROOT / "docs" / "README.md"
    text = index.read_text()
    for page in sorted((ROOT / "docs").glob("*.md")):
        if page != index and f"]({page.name})" not in text:
            problems.add(index, 1, f"has no link to {page.name}")


def check_text(files, program, problems, update):
    check_lessons(program, problems, update)
    check_readme_size(problems)
    check_index(problems)
    for file in files:
        lines = file.read_text().split("\n")
        check_links(file, lines, problems)
        if file.name == "CHANGELOG.md":
            continue  # it names former commands, too
        check_names(file, lines, program, problems)
        check_paths(file, lines, problems)
        check_sessions_are_marked(file, lines, problems)
        if file.parent == ROOT / "docs" or file.name == "README.md":
            check_options(file, lines, program, problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", choices=["commands", "text"])
    parser.add_argument("files", type=pathlib.Path, nargs="*")
    options = parser.parse_intermixed_args()
    program = str(options.program.resolve())
    files = [file.resolve() for file in options.files] or [
        ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "data" / "README.md",
        *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs" / "ci" / "README.md"]

    problems = Problems()
    if options.only != "text":
        with tempfile.TemporaryDirectory(prefix="gpulab-docs-cache-") as empty:
            for file in files:
                check_commands(file, program, os.environ.get("XDG_CACHE_HOME", empty), problems, options.update)
        check_picture(program, problems, options.update)
        check_pictures(program, problems, options.update)
    if options.only != "commands":
        check_text(files, Program(program), problems, options.update)
    for problem in problems.all:
        print(problem, end="\n\n")
    if problems.all:
        print("If what is printed is right: tests/docs/docs_test.py PROGRAM --update")
    return 1 if problems.all else 0


if __name__ == "__main__":
    sys.exit(main())
