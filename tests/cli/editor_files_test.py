"""editor_files_test.py GPULAB KERNELS EXERCISES: editors with the files of `gpulab editor`.

clangd must accept every kernel that compiles, and show each mistake in its line. Without clangd, clang++ reads the kernels
with the options in .clangd. Vim, in batch mode, fills its list from `gpulab check`. Exit code 77: none of them is installed.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

gpulab, kernels, exercises = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
folder = pathlib.Path(tempfile.mkdtemp(prefix="gpulab editor "))
os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
# Files that do not compile, on purpose, each with a part of the error.
broken = {"late_index.cu": "undeclared identifier", "run_time_size.cu": "variable length"}
failures = []


def expect(is_so, what):
    if not is_so:
        failures.append(what)
        print("FAILED:", what)


def run(*words, **options):
    return subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)


class Clangd:
    """A session of the language server protocol."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "--log=error", "--background-index=false"], cwd=folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.requests, self.published = 0, {}
        self.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]["diagnostics"]
        return message

    def ask(self, method, parameters):
        self.requests += 1
        self.send({"id": self.requests, "method": method, "params": parameters})
        while (message := self.receive()).get("id") != self.requests:
            pass
        return message.get("result")

    def diagnostics(self, path, text):
        """Returns (line from 1, message) of each diagnostic."""
        uri = path.as_uri()
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}}})
        while uri not in self.published:
            self.receive()
        return [(found["range"]["start"]["line"] + 1, found["message"]) for found in self.published[uri]]

    def hover(self, path, line, column):
        place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line - 1, "character": column}}
        return (self.ask("textDocument/hover", place) or {"contents": {"value": ""}})["contents"]["value"]

    def completions(self, path, line, column):
        place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line - 1, "character": column}}
        return [item["label"].strip(" •") for item in self.ask("textDocument/completion", place)["items"]]

    def end(self):
        self.ask("shutdown", None)
        self.send({"method": "exit"})
        self.process.wait()


class Clang:
    """The compiler, with the options in .clangd."""

    def __init__(self, program):
        text = (folder / ".clangd").read_text()
        self.command = [program, "-fsyntax-only", *(word.strip('"') for word in re.findall(r"^    - (.*)$", text, re.M))]

    def diagnostics(self, path, text):
        path.write_text(text)
        found = re.findall(r":(\d+):\d+: (?:error|warning): (.*)", run(*self.command, str(path)).stderr)
        return [(int(line), message) for line, message in found]


def kernel_files():
    """Yields (name, text) of the starters, the solutions and the kernels of the course."""
    for starter in sorted(pathlib.Path(exercises).glob("*/starter.cu")):
        if (starter.parent / "solution.cu").exists():
            continue  # a whole program, which the configuration is not for
        lesson = starter.parent.name
        yield f"starters/{lesson}.cu", starter.read_text()
        solution = run(gpulab, "solution", f"{lesson}.cu", "--anyway")
        expect(solution.returncode == 0, f"{lesson}: {solution.stderr}")
        yield f"solutions/{lesson}.1.cu", solution.stdout
    named = re.search('PathMatch: "(.*)"', (folder / ".clangd").read_text())[1]
    for program in ("program.cu", "my_matmul.cu", "matmul_main.cu", "streams.cu", "main.cpp"):
        expect(not re.fullmatch(named, program), f"{program} counts as a kernel file")
    for kernel in sorted(pathlib.Path(kernels).glob("*.cu")):
        if re.fullmatch(named, kernel.name):
            yield kernel.name, kernel.read_text()


def reads_kernels(reader):
    count = 0
    for name, text in kernel_files():
        found = reader.diagnostics(folder / name, text)
        has_error = name in broken and any(broken[name] in message.lower() for _, message in found)
        expect(has_error if name in broken else not found, f"{name}: {found}")
        count += 1
    expect(count > 50, f"only {count} files were read")
    print(f"{count} files read by {type(reader).__name__}")


mistaken = """#include <cooperative_groups.h>
__global__ void mistaken(float* A, int size) {
  __shared__ float tile[32];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = B[item];
  const int* wrong = A;
  __syncthreads()
  if (item < size) A[item] = tile[0];
  A.x = cooperative_groups::this_thread_block().size() + __shfl_down_sync(~0u, A[0]);
}
"""


def shows_mistakes(reader):
    found = reader.diagnostics(folder / "registers.9.cu", mistaken)
    lines = {line for line, _ in found}
    for line, what in {5: "a name that nobody declared", 6: "a wrong type", 9: "no such member"}.items():
        expect(line in lines, f"{what}, line {line}: {found}")
    expect(lines & {7, 8}, f"a missing semicolon: {found}")
    expect(lines <= {5, 6, 7, 8, 9}, f"more than there is: {found}")


def explains_and_completes(clangd):
    path, text = folder / "primes.cu", "__global__ void k(int* A) {\n  A[threadIdx.x] = 1;\n  atomicA\n}\n"
    clangd.diagnostics(path, text)
    for _ in range(100):  # clangd indexes the prelude a little later
        hover, names = clangd.hover(path, 2, 6), clangd.completions(path, 3, 9)
        if "index of this thread in its block" in hover and names:
            break
        time.sleep(0.05)
    expect("uint3" in hover and "index of this thread in its block" in hover, f"hover: {hover}")
    expect("atomicAdd(int *address, int value)" in names, f"completion: {names}")


def vim_lists(vim):
    (folder / "first_kernel.cu").write_text("__global__ void vector_add_global_index() {\n  nonsense;\n}\n")
    script = folder / "script.vim"
    script.write_text("source gpulab.vim\nsilent make\ncall writefile(map(getqflist(), "
                      "'v:val.lnum . \" \" . v:val.type . \" \" . bufname(v:val.bufnr)'), 'list')\nqall!\n")
    environment = {**os.environ, "PATH": f"{pathlib.Path(gpulab).parent}:{os.environ['PATH']}"}
    run(vim, "-Nu", "NONE", "-es", "-S", str(script), "first_kernel.cu", env=environment, timeout=60)
    listed = (folder / "list").read_text() if (folder / "list").exists() else "nothing"
    expect("2 e first_kernel.cu" in listed.splitlines(), f"Vim's list: {listed}")
    (folder / "program.cu").write_text("auto main() -> int {\n  float* x;\n  cudaMalloc(&x, 4);\n  cudaFree(x + 1);\n}\n")
    run(vim, "-Nu", "NONE", "-es", "-S", str(script), "program.cu", env=environment, timeout=60)
    listed = (folder / "list").read_text()
    expect("4 e program.cu" in listed.splitlines(), f"Vim's list of a program: {listed}")


try:
    clangd, clang, vim = shutil.which("clangd"), shutil.which("clang++"), shutil.which("vim")
    run(gpulab, "editor", "vscode")
    run(gpulab, "editor", "vim")
    for name in ("starters", "solutions"):
        (folder / name).mkdir()
    for file in (folder / ".vscode").iterdir():
        json.loads(file.read_text())
    if clangd or clang:
        reader = Clangd(clangd) if clangd else Clang(clang)
        reads_kernels(reader)
        shows_mistakes(reader)
        if clangd:
            explains_and_completes(reader)
            reader.end()
    if vim and "gcc" in run(gpulab, "check", "--help").stdout:
        vim_lists(vim)
    if not (clangd or clang or vim):
        print("skipped: no clangd, clang++ and vim")
        sys.exit(77)
finally:
    shutil.rmtree(folder)
sys.exit(1 if failures else 0)
