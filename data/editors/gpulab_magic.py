"""gpulab in a notebook, after %load_ext gpulab_magic. Needs IPython alone, and the program gpulab on PATH.
    %gpulab histogram --size 33554432        any command of gpulab; what it prints appears as it comes
    %%gpulab check shared-histogram          checks the kernel in this cell; options of gpulab check may follow
    %%gpulab inspect coalescing              draws what the kernel in this cell asks of memory
    %%gpulab run --inspect                   runs the program in this cell; with --inspect it draws its kernels, too

A check that fails raises GpulabError, at which nbgrader, papermill and nbconvert stop. Cells are kept in gpulab-work.
"""

import html
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

FOLDER = pathlib.Path("gpulab-work")
FONTS = {"where": "monospace", "compiler": "monospace", "printed": "monospace"}
OF_LEARNERS = {"next", "start", "check", "hint", "solution", "diff", "reset", "progress"}  # the others run beside it


class GpulabError(Exception):
    def __init__(self, message, exit_code):
        super().__init__(message)
        self.exit_code = exit_code

    def _render_traceback_(self):  # a traceback through this file helps nobody
        return [f"GpulabError: {self}"]


def command(words):
    program = shutil.which("gpulab")
    if not program:
        where = "in a cell above, say where it is: import os; os.environ['PATH'] += ':/FOLDER/bin'"
        raise GpulabError(f"gpulab is not on PATH; {where}", 127)
    FOLDER.mkdir(exist_ok=True)
    return [program, *words], {**os.environ, "COLUMNS": os.environ.get("COLUMNS", "100"), "NO_COLOR": "1"}


def stream(words, folder=None):
    line, environment = command(words)
    folder = folder or (FOLDER if words and words[0] in OF_LEARNERS else ".")
    with subprocess.Popen(line, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        try:
            for text in process.stdout:
                print(text, end="", flush=True)
        except BaseException:  # such as an interrupt of the cell
            process.terminate()
            raise
    if process.returncode != 0:
        raise GpulabError(f"gpulab {' '.join(words)} ended with code {process.returncode}", process.returncode)


def document(words):
    line, environment = command([*words, "--format", "json"])
    done = subprocess.run(line, cwd=FOLDER, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    said = done.stderr.decode(errors="replace").strip().removeprefix("gpulab: ")
    try:
        return {"said": said, **json.loads(done.stdout)}
    except ValueError:
        raise GpulabError(said or f"gpulab {' '.join(words)} ended with nothing to show", done.returncode) from None


def exercise_file(word):
    lessons = document(["list"])["lessons"]
    name = next((lesson["name"] for lesson in lessons if word in lesson["aliases"]), word)
    for exercise in document(["progress"])["exercises"]:
        if name in (exercise["name"], exercise["file"]):
            return exercise["file"]
    raise GpulabError(f"there is no exercise '{word}'; %gpulab progress lists them", 2)


def rows(check):
    place = f"line {check['line']}: {check['source'] or ''}" if check["line"] else None
    what = [("what", check["summary"]), ("where", place), ("more", "\n".join(check["details"] + check["notes"])),
            ("compiler", check["compiler_log"]), ("printed", check["printed"]), ("hint", check["hint"])]
    return [(name, text.rstrip()) for name, text in what if text]


def show(check):
    title = f"{check['verdict'].upper().replace('_', ' ')}  {check['exercise']}"
    text = "\n".join([title] + [f"{name}: {part}" for name, part in rows(check)])
    cells = "".join(
        f"<tr><th style='text-align:left;vertical-align:top'>{name}</th>"
        f"<td style='text-align:left;white-space:pre-wrap;font-family:{FONTS.get(name, 'inherit')}'>{html.escape(part)}"
        "</td></tr>" for name, part in rows(check))
    table = f"<b>{html.escape(title)}</b><table>{cells}</table>"
    display({"text/plain": text, "text/html": table}, raw=True)


def write_cell(name, line, cell):
    mark = "//" if name.endswith(".cu") else "#"  # in the cell's first line, so that lines have its numbers
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / name).write_text(f"{mark} %%gpulab {line}\n{cell}", encoding="utf-8")


def stream_with_pictures(words):
    page = FOLDER / "pictures.html"
    page.unlink(missing_ok=True)
    try:
        stream([*words, "--html", page.name], FOLDER)
    finally:  # a kernel that is wrong has pictures, too
        for image in re.findall(r"<svg.*?</svg>", page.read_text(encoding="utf-8"), re.S) if page.exists() else []:
            title = html.unescape(re.search(r"<title>(.*?)</title>", image)[1])
            display({"text/plain": title, "image/svg+xml": image}, raw=True)


def run_cell(line, words, cell):
    if words[:1] == ["run"]:
        write_cell("cell.cu", line, cell)
        show_or_stream = stream_with_pictures if "--inspect" in words else lambda words: stream(words, FOLDER)
        return show_or_stream(["run", "cell.cu", *words[1:]])
    if len(words) < 2 or words[0] not in ("check", "inspect"):
        raise GpulabError("write %%gpulab check LESSON, %%gpulab inspect LESSON or %%gpulab run above a kernel, "
                          "or %gpulab COMMAND in a cell of its own", 2)
    name = exercise_file(words[1])
    write_cell(name, line, cell)
    if words[0] == "inspect":
        return stream_with_pictures(["inspect", name, *words[2:]])
    result = document(["check", name, *words[2:]])
    for check in result["checks"]:
        show(check)
    if result["exit_code"] != 0:
        failed = ", ".join(check["pattern"] or check["verdict"] for check in result["checks"] if not check["passed"])
        raise GpulabError(f"{words[1]} has not passed: {failed or result['said']}", result["exit_code"])


@magics_class
class GpulabMagics(Magics):
    @line_cell_magic
    def gpulab(self, line, cell=None):
        try:
            words = shlex.split(line)
            stream(words) if cell is None else run_cell(line, words, cell)
        except (OSError, ValueError) as error:  # a folder that is not writable, a letter that is none
            raise GpulabError(f"{error} in {line}", 2) from None


def load_ipython_extension(ipython):
    ipython.register_magics(GpulabMagics)
