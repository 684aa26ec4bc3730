#!/usr/bin/env python3
"""Refuses a name that two files of a folder define in their unnamed namespaces.

The files of a folder are compiled together, in groups that move when a file grows. Two such names are an error only
while their files meet in a group, so a build would fail far from the change that caused it.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)(?: final)?(?: :[^;]*)? ?\{")
VARIABLE = re.compile(r"(?!return|using|friend|namespace)[\w:<>,*& ]*[\w>*&] [*&]?(\w+)(?:\[.*?\])*(?: =|\{|;|\(\")")
FUNCTION = re.compile(r"[\w:<>,*&\[\] ]*[\w>*&] [*&]?(\w+)\(([^;{]*)\) (?:const )?\{")


def definitions(text):
    """Yields (name, signature) of what stands in the text's unnamed namespaces."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.S)
    for part in re.findall(r"^namespace \{$(.*?)^\}  // namespace$", text, flags=re.S | re.M):
        for line in re.findall(r"^[a-z\[].*(?:\n {4,}.*)*", part, flags=re.M):
            definition = " ".join(line.split())
            if found := TYPE.match(definition):
                yield found[1], "type"
            elif found := FUNCTION.match(definition):
                yield found[1], "(" + re.sub(r" ?[\w]+(?: = [^,]*)?(?=,|$)", "", found[2])
            elif found := VARIABLE.match(definition):
                yield found[1], "variable"


def unit_of(path):
    """Returns the folder whose files are compiled together, as cmake/unity.cmake has it."""
    name = path.relative_to(ROOT).as_posix()
    return "json" if re.match("src/.*json", name) else re.sub(r"^(exercises|[^/]+/[^/]+)/.*", r"\1", name)


def main():
    places = collections.defaultdict(list)
    for folder in ("src", "tests", "exercises"):
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            text = path.read_text()
            namespace = re.search(r"^namespace ([\w:]+)", text, flags=re.M)
            if path.is_relative_to(ROOT / "src/yardsticks") or namespace is None:
                continue
            for name, signature in definitions(text):
                places[unit_of(path), namespace[1], name].append((path, signature))
    checked = sum(map(len, places.values()))
    assert checked > 2000, f"only {checked} names were found"
    clashes = 0
    for (_, _, name), found in places.items():
        signatures = [signature for _, signature in found]
        are_overloads = all(text.startswith("(") for text in signatures) and len(set(signatures)) == len(signatures)
        if len({path for path, _ in found}) == 1 or are_overloads:
            continue
        clashes += 1
        print(f"{name} is defined in " + " and ".join(sorted({str(path.relative_to(ROOT)) for path, _ in found})))
    sys.exit(1 if clashes else 0)


main()
