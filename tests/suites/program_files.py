"""Finds programs: those of two public collections, with what their own build files say of them, and those of one file in any folder.

Programs run in the folder of the checkout, where their headers and inputs are, and may write there.
"""
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess

SOURCES = {".cu", ".hip", ".cpp", ".cc", ".cxx", ".c", ".C"}
HIP = "hip/hip_runtime"  # is in the name of the header that every HIP program includes
TEXTS = SOURCES | {".cuh", ".h", ".hpp", ".inl", ".inc", ".hu"}

# what a program needs beyond the runtime: libraries first, then what the language or the runtime adds
LIBRARIES = {
    "Thrust": r"#\s*include\s*<thrust/|\bthrust::",
    "CUB": r"#\s*include\s*[<\"](?:hip)?cub/|\b(?:hip)?cub::|rocprim",
    "libcu++": r"#\s*include\s*<(?:cuda/|nv/)|\bcuda::(?:std::|atomic|barrier|pipeline|memcpy_async)",
    "cuBLAS": r"cublas|hipblas|rocblas",
    "cuFFT": r"cufft|hipfft|rocfft",
    "cuRAND": r"curand|hiprand|rocrand",
    "cuSPARSE": r"cusparse|hipsparse|rocsparse",
    "cuSOLVER": r"cusolver|hipsolver|rocsolver",
    "cuDNN": r"cudnn",
    "NVML": r"\bnvml",
    "NPP": r"<npp",
    "NCCL": r"\bnccl",
    "NVSHMEM": r"\bnvshmem",
    "MPI": r"#\s*include\s*[<\"]mpi\.h",
    "NVRTC": r"\bnvrtc",
    "OpenGL, EGL": r"\bGL/|<EGL|cudaGraphics\w|cudaEGL|helper_gl\.h",
    "driver API": r"\bcu(?:Init|LaunchKernel|(?:Ctx|Module|Mem|Device|Func|Stream)[A-Z]\w+)\s*\(|helper_cuda_drvapi|_dynlink\.h",
}
FEATURES = {
    "cooperative groups": r"cooperative_groups",
    "textures, surfaces": r"\btexture\s*<|cuda(?:Texture|Surface)Object_t|\bsurface\s*<",
    "AMD's instructions": r"__builtin_amdgcn_",
    "inline assembly": r"\basm\s*(?:volatile|__volatile__)?\s*\(",
    "graphs": r"\bcudaGraph(?!ics)\w+",
    "tensor cores": r"\bwmma\b|<mma\.h>",
    "other processes": r"\bcudaIpc\w+",
}


@dataclasses.dataclass
class Program:
    collection: str  # of cuda-samples also its chapter
    name: str
    folder: pathlib.Path
    sources: list  # relative to the folder
    options: list  # -I and -D of its build
    arguments: list
    edits: dict = dataclasses.field(default_factory=dict)  # constants made smaller: name -> value
    found_in_folder: bool = False  # by single_files; other programs may be in its folder, too

    def text(self):
        if self.found_in_folder:
            return without_comments((self.folder / self.sources[0]).read_text(errors="replace"))
        files = sorted(file for file in self.folder.rglob("*") if file.suffix in TEXTS and file.is_file())
        return without_comments("\n".join(file.read_text(errors="replace") for file in files))

    def folders(self):
        """Returns its own and those that -I names: HeCBench's HIP versions use headers of the CUDA ones."""
        named = [(self.folder / option[2:]).resolve() for option in self.options if option.startswith("-I")]
        return list(dict.fromkeys([self.folder, *filter(pathlib.Path.is_dir, named)]))

    def missing_input(self):
        """Returns the first argument that looks like a file of the collection but does not exist, or ""."""
        for word in self.arguments:
            if re.fullmatch(r"(?!output|result|out\b)[\w./-]*(?:/[\w.-]*|\w\.(?:mtx|egr|txt|csv|dat|bmp|ppm|jpg|in|gr|cssr|config|hpp))", word) \
                    and not (self.folder / word).exists():
                return word
        return ""

    def bring_inputs(self):
        """Copies files of sibling folders that arguments name into its own folder, since gpulab lets a program read only that."""
        for i, word in enumerate(self.arguments):
            if word.startswith("../") and (self.folder / word).is_file():
                shutil.copy(self.folder / word, self.folder)
                self.arguments[i] = pathlib.Path(word).name

    def needs(self):
        text = self.text()
        return tuple([name for name, rule in rules.items() if re.search(rule, text)] for rules in (LIBRARIES, FEATURES))


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def single_files(checkout, language="cuda"):
    """Yields each .cu file with a main function, or each file of a program in HIP, with -I for each header that lies elsewhere in the checkout.
    In HIP the other sources of its folder belong to it."""
    files = sorted(file for file in checkout.rglob("*") if file.suffix in TEXTS and file.is_file())
    headers = {}
    for file in files:
        headers.setdefault(file.name, []).append(file)
    mains = [file for file in files if file.suffix in SOURCES and re.search(r"\bmain\s*\(", without_comments(file.read_text(errors="replace")))]
    for file in mains:
        sources = [file] + (parts_of(file, files, mains) if language == "hip" else [])
        seen = {}
        folders = dict.fromkeys(folder for source in sources for folder in folders_of_headers(source, headers, seen))
        if any(HIP in text for text in seen.values()) if language == "hip" else file.suffix == ".cu":
            yield Program(checkout.name, str(file.relative_to(checkout)), file.parent, [str(source.relative_to(file.parent)) for source in sources],
                          ["-I" + os.path.relpath(folder, file.parent) for folder in folders], [], found_in_folder=True)


def parts_of(main, files, mains):
    """Returns the other sources in a program's folder, and below it if no other program is there, unless the program includes them."""
    included = set(re.findall(r'#\s*include\s*"(?:[^"]*/)?([^"/]+)"', main.read_text(errors="replace")))
    is_alone = not any(main.parent in other.parents and other != main for other in mains)
    return [file for file in files if file.suffix in SOURCES and file not in mains and file.name not in included and main.parent in file.parents
            and (is_alone or file.parent == main.parent)]


def folders_of_headers(source, headers, seen):
    """Yields the folders that -I must name for a file's headers and theirs, the nearest of each name. headers: name -> files. Adds the
    texts to seen: file -> text."""
    seen[source] = without_comments(source.read_text(errors="replace"))
    for name in re.findall(r"^\s*#\s*include\s*[<\"]([^>\"\n]+)[>\"]", seen[source], flags=re.M):
        if name.startswith("GL/"):  # the system's
            continue
        beside = source.parent / name
        places = [beside] if beside.is_file() else [file for file in headers.get(pathlib.Path(name).name, []) if str(file).endswith("/" + name)]
        if places:
            nearest = max(places, key=lambda file: (len(os.path.commonpath([file, source])), file.parent.name in ("include", "inc", "common")))
            if nearest != beside or ".." in name:
                yield nearest.parent if nearest == beside else str(nearest).removesuffix("/" + name)
            if nearest not in seen:
                yield from folders_of_headers(nearest, headers, seen)


def samples(checkout):
    """Yields the programs of two chapters of NVIDIA/cuda-samples: sources as CMakeLists.txt names them."""
    root = checkout / "cpp" if (checkout / "cpp").is_dir() else checkout / "Samples"
    for chapter in ("0_Introduction", "2_Concepts_and_Techniques"):
        for build in sorted((root / chapter).glob("*/CMakeLists.txt")):
            folder = build.parent
            target = re.search(r"add_executable\(\s*(\S+)([^)]*)\)", build.read_text())
            sources = [word for word in target[2].split() if pathlib.Path(word).suffix in SOURCES]
            options = ["-Iinc"] if (folder / "inc").is_dir() else []
            yield Program(f"cuda-samples {chapter}", folder.name, folder, sources, options, [])


def hecbench(checkout, language="cuda"):
    """Yields the programs of zjin-lcf/HeCBench with one source file: what `make --dry-run` says of them. language: cuda or hip."""
    for folder in sorted((checkout / "src").glob("*-" + language)):
        sources = [file for file in folder.rglob("*") if file.suffix in SOURCES and file.is_file()]
        if len(sources) == 1 and (sources[0].suffix == ".cu" or language == "hip"):
            source = str(sources[0].relative_to(folder))
            commands = list(dry_run(folder))
            compiles = [words for words in commands if any(word.endswith(sources[0].name) for word in words)]
            runs = [words[1:] for words in commands if words[0].startswith("./")]
            if not any(word.startswith("../") and pathlib.Path(word).suffix in SOURCES for words in commands for word in words):
                yield Program("HeCBench" if language == "cuda" else "HeCBench in HIP", folder.name.removesuffix("-" + language),
                              folder, [source], options_of(compiles[0]) if compiles else [], runs[0] if runs else [])


def dry_run(folder):
    found = subprocess.run(["make", "--dry-run", "--always-make", "run"], cwd=folder, capture_output=True, text=True, check=False)
    for line in found.stdout.replace("\\\n", " ").splitlines():
        try:
            if words := shlex.split(line, comments=True):
                yield words
        except ValueError:
            continue


def options_of(words):
    """Returns -I and -D, each with its value in one word, without absolute folders."""
    joined = re.findall(r"(?:^|\s)(-[ID])\s*(\S+)", " ".join(words))
    return [kind + value for kind, value in joined if kind == "-D" or not value.startswith("/")]
