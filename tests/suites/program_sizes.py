"""The table of program_sizes.txt: arguments and constants at which programs take seconds on a simulator."""
import pathlib
import re

TABLE = pathlib.Path(__file__).with_suffix(".txt")
TEXTS = {".cu", ".cuh", ".h", ".hpp", ".cpp", ".config"}


def read():
    """Returns program -> (its arguments, [(pattern, replacement)])."""
    found = {}
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, rest = line.split(":", 1)
            arguments, _, constants = rest.partition("|")
            edits = re.findall(r"'([^']*)'->'([^']*)'|(\w+)=(\S+)", constants)
            found[name] = arguments.split(), [text_edit(old, new) if old else constant_edit(name, value)
                                              for old, new, name, value in edits]
    return found


def text_edit(old, new):
    # The pattern also matches text that is changed already. The longer comes first, since one may begin with the other.
    return "|".join(map(re.escape, sorted((old, new), key=len, reverse=True))), new


def constant_edit(name, value):
    """Returns an edit of the value in `#define name 1000` and in `name = 1000;`."""
    return rf"(#[ \t]*define[ \t]+{name}[ \t]+|\b{name}[ \t]*=[ \t]*)[^\s;,/\"=][^;,\n\r/\"=]*?(?=\s*(?:[;,\n\r]|//|/\*))", rf"\g<1>{value}"


def make_smaller(folders, edits):
    """Changes the folders' texts in place; a second time changes nothing. An edit that fits nowhere is an error."""
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix in TEXTS and file.is_file()]
    texts = {file: file.read_bytes().decode("latin-1") for file in files}
    for pattern, new in edits:
        if not any(re.search(pattern, text) for text in texts.values()):
            raise LookupError(f"{folders[0].name} has no {pattern}")
        texts = {file: re.sub(pattern, new, text) for file, text in texts.items()}
    for file, text in texts.items():
        if text.encode("latin-1") != file.read_bytes():
            file.write_bytes(text.encode("latin-1"))
