"""Functions that the makers of manifests share: the device part of a foreign text, a kernel's parameters, and the files they write."""
import json
import re

COMMENT_OR_LITERAL = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def blanked(text, keep_strings=True):
    """Returns the text with blanks for comments, and for literals unless they are kept; lines stay where they are."""
    def blank(match):
        word = match[0]
        return word if word[0] in "\"'" and keep_strings else re.sub(r"[^\n]", " ", word)
    return COMMENT_OR_LITERAL.sub(blank, text)


def end_of_braces(text, start):
    """Returns the index after the brace that closes the first one after start."""
    depth = 0
    for at in range(text.index("{", start), len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def without(text, start, end):
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def functions(text):
    """Yields (start of its declaration, its opening brace, its end) for each function outside classes."""
    start = at = 0
    while at < len(text):
        letter = text[at]
        if letter == "#" and not text[text.rfind("\n", 0, at) + 1 : at].strip():
            while (end := text.find("\n", at)) >= 0 and text[end - 1] == "\\":
                at = end + 1
            start = at = len(text) if end < 0 else end
        elif letter in ";}":
            start = at + 1
        elif letter in "\"'":
            at = COMMENT_OR_LITERAL.match(text, at).end() - 1 if COMMENT_OR_LITERAL.match(text, at) else at
        elif letter == "{":
            head = text[start:at]
            if re.search(r'\bnamespace\b|extern\s+"C"\s*$', head):
                start = at + 1
            else:
                end = end_of_braces(text, at)
                has_parameters = re.search(r"\)\s*(?:const|noexcept|__attribute__\s*\(\([^()]*\)\))?\s*$", head)
                if has_parameters and not re.search(r"=[^(]*\(|\b(?:__align__|alignas|__attribute__)\s*\([^()]*\)\s*$", head):
                    yield start, at, end
                    start = end
                at = end - 1
        at += 1


def device_part(text):
    """Returns the text without #include and host functions; lines stay where they are."""
    text = re.sub(r"^[ \t]*#[ \t]*include[^\n]*", "", blanked(text), flags=re.M)
    for start, brace, end in list(functions(text)):
        if not re.search(r"\b(__device__|__global__|DEVICE\w*|INLINE\w*)\b", text[start:brace]):
            text = without(text, start, end)
    return text


def with_own_headers(file, root, seen=()):
    """Returns the text with headers of its own project in the place of their #include; other lines stay."""
    def included(match):
        for folder in (file.parent, *file.parent.parents):
            header = (folder / match[1]).resolve()
            if header.is_file() and header not in seen:
                return with_own_headers(header, root, (*seen, header))
            if folder == root:
                break
        return match[0]
    return re.sub(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"[^\n]*', included, file.read_text(errors="replace"), flags=re.M)


def write(work, name, text):
    """Writes the text below the folder work; returns its path for the manifest."""
    path = work / "kernels" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return f"kernels/{name}"


def write_manifest(work, manifest):
    work.mkdir(parents=True, exist_ok=True)
    (work / "manifest.json").write_text(json.dumps(manifest, indent=1))
