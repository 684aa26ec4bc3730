"""The parameters of the kernels in a text, spelt as gpulab spells them, and what to pass for them."""
import re

import adapted_text

FUNDAMENTAL = {"uint": "unsigned int", "uchar": "unsigned char", "ushort": "unsigned short", "ulong": "unsigned long",
               "size_t": "unsigned long", "unsigned": "unsigned int", "int64_t": "long", "uint64_t": "unsigned long",
               "int32_t": "int", "uint32_t": "unsigned int", "uint8_t": "unsigned char", "int8_t": "signed char",
               "uint16_t": "unsigned short", "int16_t": "short", "signed": "int"}
SIZES = {"char": 1, "signed char": 1, "unsigned char": 1, "bool": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned int": 4,
         "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8, "float": 4, "double": 8}
VECTORS = re.compile(r"^(char|uchar|short|ushort|int|uint|long|ulong|float|double)([1234])$")
KERNEL = re.compile(r"__global__\s+(?:[\w\s]*?\b)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?([A-Za-z_]\w*)\s*\(")


class Unknown(Exception):
    """A parameter that cannot be passed, such as a structure."""


def split_commas(text):
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip() not in ("", "void")]


def closing_parenthesis(text, open_at):
    depth = 0
    for at in range(open_at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def typedefs(text):
    """Returns the arithmetic types that a typedef or #define names, by name."""
    names = dict(FUNDAMENTAL)
    for match in re.finditer(r"\btypedef\s+((?:unsigned |signed )?[a-z]\w*(?: \w+)*?)\s+(\w+)\s*;", text):
        names[match[2]] = match[1].strip()
    for match in re.finditer(r"^\s*#\s*define\s+(\w+)\s+((?:unsigned )?(?:int|float|double|char|short|long))\s*$", text, re.M):
        names[match[1]] = match[2]
    return names


def plain_type(words, names):
    """Returns a type without the names of typedefs: "unsigned int" for ["uint"]."""
    known = " ".join(words)
    for _ in range(5):
        if known in names and names[known] != known:
            known = names[known]
    integer_words = ["unsigned", "signed", "char", "short", "long", "int"]
    is_integer = all(word in integer_words for word in known.split())
    text = " ".join(sorted(known.split(), key=integer_words.index)) if is_integer else known
    for old, new in (("long long int", "long long"), ("long int", "long"), ("short int", "short"), ("signed int", "int"), ("signed long", "long")):
        if not text.startswith("unsigned"):
            text = text.replace(old, new)
    return text.replace("long long int", "long long").replace("unsigned long int", "unsigned long").replace("unsigned short int", "unsigned short")


def parameter_type(declaration, names):
    """Returns the type of "const float *__restrict__ x" as gpulab spells it, "const float*", and what it points to."""
    text = re.sub(r"\b(__restrict__|__restrict|restrict|struct|enum|register|__const__)\b", " ", declaration)
    text = text.split("=")[0]
    if "(" in text or "&" in text:
        raise Unknown(declaration)
    dimensions = text.count("[")
    text = re.sub(r"\[[^\]]*\]", " ", text)
    if dimensions > 1:
        raise Unknown(declaration)
    base, *stars = text.split("*")
    pointers = len(stars) + dimensions
    words = base.split()
    qualifiers = [w for w in words if w in ("const", "volatile")]
    words = [w for w in words if w not in ("const", "volatile")]
    if not stars and len(words) > 1 and words[-1] not in SIZES and words[-1] not in ("unsigned", "signed"):
        words = words[:-1]
    plain = plain_type(words, names)
    if pointers == 0:
        return plain, None
    if pointers > 1:
        raise Unknown(declaration)
    spelt = plain
    if "const" in qualifiers and "volatile" in qualifiers:
        spelt = f"{plain} const volatile"
    elif "volatile" in qualifiers:
        spelt = f"{plain} volatile"
    elif "const" in qualifiers:
        spelt = f"const {plain}"
    return f"{spelt}*", plain


def kernels(text):
    """Returns the kernels of a text: name -> declarations of their parameters."""
    found = {}
    for match in KERNEL.finditer(text):
        close = closing_parenthesis(text, match.end() - 1)
        if re.match(r"\s*\{", text[close + 1 :]):
            found[match[1]] = split_commas(text[match.end() : close])
    return found


INSTANCE = re.compile(r"\btemplate\s+__global__\s+void\s+(\w+)\s*<([^<>]*)>\s*\(")


def instances(text):
    """Returns the kernels that are instantiated by name, as a demangler spells them: "reduce<int, 256u>" -> declarations."""
    found, names = {}, typedefs(text)
    for match in INSTANCE.finditer(text):
        template = re.search(rf"\btemplate\s*<([^<>]*)>\s*__global__[^;{{}}]*?\b{match[1]}\s*\(", text)
        if not template:
            continue
        kinds = [" ".join(each.split()[:-1]) for each in split_commas(template[1])]
        given = [template_argument(kind, each, names) for kind, each in zip(kinds, split_commas(match[2]))]
        found[f"{match[1]}<{', '.join(given)}>"] = split_commas(text[match.end() : closing_parenthesis(text, match.end() - 1)])
    return found


def template_argument(kind, given, names):
    if kind in ("class", "typename"):
        return plain_type(given.split(), names)
    return given + ("u" if plain_type(kind.split(), names) == "unsigned int" and not given.endswith("u") else "")


def name_of(declaration):
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", declaration))
    return words[-1] if words else ""


def size_of(plain):
    if plain in SIZES:
        return SIZES[plain]
    if match := VECTORS.match(plain):
        element = SIZES[plain_type([match[1]], FUNDAMENTAL)]
        return element * int(match[2])
    return None


def argument(declaration, names, scalars, array_bytes, fill):
    """Returns what to pass for one parameter; scalars: the value by the parameter's name, or by "" for all others."""
    type_name, pointee = parameter_type(declaration, names)
    if pointee is None:
        if type_name not in SIZES:
            raise Unknown(declaration)
        name = name_of(declaration)
        default = 1 if type_name in ("float", "double") else scalars.get("", 1)
        return {"type": type_name, "value": scalars.get(name, default)}
    size = size_of(pointee)
    if pointee in SIZES:
        return {"type": type_name, "count": array_bytes // size, "fill": fill}
    return {"type": type_name, "count": array_bytes // 64, "bytes_each": 64}


def arguments(text, kernel, scalars, array_bytes=1 << 20, fill=0):
    names = typedefs(text)
    declarations = {**kernels(text), **instances(text)}[kernel]
    return [argument(each, names, scalars, array_bytes, fill) for each in declarations]
