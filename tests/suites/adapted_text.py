"""What the makers of manifests share: the device part of a foreign text, a kernel's parameters, and the files they write."""
import json
import re

WORDS = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def blanked(text, keep_strings=True):
    """Without comments; every line stays where it is."""
    def blank(match):
        word = match[0]
        return word if word[0] in "\"'" and keep_strings else re.sub(r"[^\n]", " ", word)
    return WORDS.sub(blank, text)


def end_of_braces(text, start):
    """After the brace that closes the first one after start."""
    depth = 0
    for at in range(text.index("{", start), len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def without(text, start, end):
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


HOST_FUNCTION = re.compile(
    r"^(?!.*\b(?:__global__|__device__|__host__|typedef|struct|class|union|enum|namespace|template|using|return|else)\b)"
    r"(?:extern\s+\"C\"\s*)?[A-Za-z_][\w:<>*& \t]*?[\s*&]([A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{", re.M)


def device_part(text):
    """The text without #include and host functions; every line stays where it is."""
    text = re.sub(r"^[ \t]*#[ \t]*include[^\n]*", "", blanked(text), flags=re.M)
    at = 0
    while match := HOST_FUNCTION.search(text, at):
        before = text[: match.start()].rstrip()
        if before.endswith(("__device__", "__global__", "__host__", ">", "__inline__", "inline")) or inside_braces(text, match.start()):
            at = match.end()
            continue
        text = without(text, match.start(), end_of_braces(text, match.end() - 1))
        at = match.start() + 1
    return text


def inside_braces(text, at):
    return text.count("{", 0, at) > text.count("}", 0, at)


def write(work, name, text):
    """Writes the text below the folder work; returns its path for the manifest."""
    path = work / "kernels" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return f"kernels/{name}"


def write_manifest(work, manifest):
    work.mkdir(parents=True, exist_ok=True)
    (work / "manifest.json").write_text(json.dumps(manifest, indent=1))
