"""notebook_test.py GPULAB: the module that `gpulab editor notebook` writes, in IPython and in notebooks without a browser.

Exit code 77: nbconvert or the Python kernel of Jupyter is not installed.
"""

import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import ipykernel  # noqa: F401
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from nbconvert.preprocessors import CellExecutionError, ExecutePreprocessor
    from nbformat import v4
    from traitlets.config import Config
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

gpulab = pathlib.Path(sys.argv[1]).resolve()
os.environ |= {"PATH": f"{gpulab.parent}:{os.environ['PATH']}", "CUDA_VISIBLE_DEVICES": "",
               "PYDEVD_DISABLE_FILE_VALIDATION": "1", "JUPYTER_PLATFORM_DIRS": "1"}
failures = []


def expect(is_so, what):
    if not is_so:
        failures.append(what)
        print("FAILED:", what)


def solution(lesson):
    return subprocess.run([gpulab, "solution", lesson, "--anyway"], capture_output=True, text=True, check=True).stdout


def notebook(*cells):
    return v4.new_notebook(cells=[v4.new_code_cell("%load_ext gpulab_magic"), *map(v4.new_code_cell, cells)])


def text_of(outputs):
    return "".join(output.text for output in outputs)


def execute(book):
    ExecutePreprocessor(timeout=60).preprocess(book, {"metadata": {"path": "."}})


def runs_to_the_end_if_all_is_right(right):
    book = notebook("%gpulab show first-kernel global-index", f"%%gpulab check histogram --device simulator\n{right}",
                    "%gpulab progress")
    execute(book)
    _, shown, checked, progress = (cell.outputs for cell in book.cells)
    expect("blockIdx.x" in text_of(shown), shown)
    expect(checked[0].data["text/plain"] == "PASSED  shared-histogram" and "<b>PASSED" in checked[0].data["text/html"],
           checked)
    expect("shared-histogram  passed" in text_of(progress), progress)
    expect(pathlib.Path("gpulab-work/shared_histogram.cu").read_text().endswith(right), "the cell is kept as a file")


def stops_at_a_check_that_fails(wrong):
    book = notebook(f"%%gpulab check shared-histogram\n{wrong}", "print('after')")
    try:
        execute(book)
        expect(False, "nbconvert goes on after a check that failed")
    except CellExecutionError as error:
        expect(error.ename == "GpulabError" and "race-shared" in error.evalue, f"{error.ename}: {error.evalue}")
    table = book.cells[1].outputs[0].data["text/html"]
    cell_lines = f"%%gpulab\n{wrong}".splitlines()
    line = 1 + next(index for index, text in enumerate(cell_lines) if "atomicAdd" in text)
    expect(f"line {line}" in table and "<th" in table, f"the table names line {line} of the cell: {table}")
    expect(not book.cells[2].outputs, "the next cell has not run")


def shows_pictures_below_the_cell(shell, kernel):
    racing = kernel.replace("__syncthreads();", "", 1)
    program = ("#include <cstdio>\n__global__ void fill(int* all) { all[2 * threadIdx.x] = 1; }\nint main() {\n"
               "  int* all;\n  cudaMalloc(&all, 256);\n  fill<<<1, 32>>>(all);\n  cudaDeviceSynchronize();\n"
               "  cudaFree(all);\n  std::puts(\"done\");\n}\n")
    for cell, texts, titles in [
            (f"%%gpulab inspect shared-histogram\n{kernel}", ["worst: "], ["global load: ", "shared atomic: "]),
            (f"%%gpulab inspect shared-histogram\n{racing}", ["data race"], ["two threads of block 0"]),
            (f"%%gpulab run --inspect\n{program}", ["done", "global store"], ["line 3 · global store: 8 sectors"]),
            (f"%%gpulab run\n{program}", ["done", "no defect found"], [])]:
        with capture_output() as said:
            shell.run_cell(cell)
        images = [output.data for output in said.outputs if "image/svg+xml" in output.data]
        for text in texts:
            expect(text in said.stdout, f"'{text}' in {said.stdout}")
        for title in titles:
            expect(any(title in image["text/plain"] and "</svg>" in image["image/svg+xml"] for image in images),
                   f"a picture '{title}' in {[image['text/plain'] for image in images]}")
        expect(bool(titles) == bool(images), f"as many pictures as there should be: {len(images)}")


def refuses_in_a_sentence(shell):
    def raised(cell):
        with contextlib.redirect_stdout(io.StringIO()):
            error = shell.run_cell(cell).error_in_exec
        return f"{type(error).__name__} {getattr(error, 'exit_code', '')}: {error}"

    for cell, part in {
            "%%gpulab check nothing-such\nx": "GpulabError 2: there is no exercise 'nothing-such'",
            "%%gpulab check first-kernel --nonsense\nx": "GpulabError 2: check has no option '--nonsense'",
            "%%gpulab check first-kernel\nx <b>": "GpulabError 3: first-kernel has not passed: does-not-compile",
            "%%gpulab\nx": "GpulabError 2: write %%gpulab check LESSON",
            "%%gpulab inspect nothing-such\nx": "GpulabError 2: there is no exercise 'nothing-such'",
            "%%gpulab check 'first\nx": "GpulabError 2: No closing quotation",
            "%%gpulab check first-kernel\na\0b": "GpulabError 2: first-kernel has not passed: cannot read",
            "%%gpulab check first-kernel --help\nx": "GpulabError 0: gpulab check first_kernel.cu --help ended with",
            "%%gpulab check first-kernel\n\ud800": "GpulabError 2: 'utf-8' codec can't encode",
            "%gpulab nonsense": "GpulabError 2: gpulab nonsense ended with code 2",
    }.items():
        expect(part in raised(cell), f"{cell}: {raised(cell)}")
    shutil.rmtree("gpulab-work")
    pathlib.Path("gpulab-work").touch()
    expect("GpulabError 2: [Errno 17] File exists" in raised("%gpulab list"), raised("%gpulab list"))
    os.remove("gpulab-work")
    os.environ["PATH"] = "/nowhere"
    expect("GpulabError 127: gpulab is not on PATH" in raised("%gpulab list"), raised("%gpulab list"))


with tempfile.TemporaryDirectory(prefix="gpulab notebook ") as folder:
    os.chdir(folder)
    os.environ |= {"HOME": folder, "IPYTHONDIR": folder, "XDG_CACHE_HOME": f"{folder}/cache"}
    subprocess.run([gpulab, "editor", "notebook"], check=True, stdout=subprocess.DEVNULL)
    sys.path.insert(0, folder)
    kernel = solution("shared-histogram")
    runs_to_the_end_if_all_is_right(kernel)
    stops_at_a_check_that_fails(kernel.replace("__syncthreads();", "", 1))
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.run_line_magic("load_ext", "gpulab_magic")
    shows_pictures_below_the_cell(shell, kernel)
    refuses_in_a_sentence(shell)
    os.chdir("/")
module = (pathlib.Path(__file__).parents[2] / "data" / "editors" / "gpulab_magic.py").read_text()
expect(len(module.splitlines()) <= 150, "the module has more than 150 lines")
sys.exit(1 if failures else 0)
