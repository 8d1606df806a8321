"""Writes docs/python/reference.md from the docstrings of the package. Reads sources only, so nothing needs to be installed.

usage: reference.py PACKAGE_DIRECTORY
"""

import ast
import inspect
import re
import sys
from pathlib import Path

#: Modules with a section of their own.
MODULES = ("engine", "pot", "scverse", "torch")

HEAD = """# The Python package, function by function

Generated from the docstrings by `cargo xtask reference`; edit those.
"""


def signature(node):
    """Arguments as they are written, without types, folded where they would not fit."""
    arguments = node.args
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if argument is not None:
            argument.annotation = None
    text = ast.unparse(arguments)
    return re.sub(r"^(self|cls)(, )?", "", text)


def body(doc):
    """A docstring in Markdown: sections in bold, arguments as a list, examples as code."""
    lines, out, section, in_code = inspect.cleandoc(doc).splitlines(), [], None, False
    k = 0
    while k < len(lines):
        line = lines[k]
        underlined = k + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[k + 1].strip())
        if underlined:
            section = line.strip()
            out += ["", f"**{section}**", ""]
            k += 2
            continue
        # What an example prints goes on to the next empty line.
        code = line.startswith((">>>", "...")) or (in_code and bool(line.strip()))
        if code != in_code:
            out.append("```python" if code else "```")
            in_code = code
        if in_code or section not in ("Parameters", "Returns", "Raises", "Attributes", "Yields"):
            out.append(line)
        elif line and not line.startswith(" "):
            out.append(f"- `{line}`")
        elif line.strip():
            out.append("  " + line.strip())
        k += 1
    if in_code:
        out.append("```")
    text = "\n".join(out)
    text = re.sub(r":(?:func|meth|class|attr|mod|data|exc):`~?([^`]+)`", r"`\1`", text)
    return re.sub(r"(?<!`)``(?!`)", "`", text).strip()


def entry(level, title, node, names):
    doc = ast.get_docstring(node)
    if not doc:
        sys.exit(f"reference: {title} has no docstring")
    names.append(title)
    return [f"{'#' * level} `{title}`", "", body(doc), ""]


def described(node, prefix, names):
    """A function, or a class with its methods."""
    if isinstance(node, ast.FunctionDef):
        return entry(3, f"{prefix}{node.name}({signature(node)})", node, names)
    made = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)
    # What other functions return is not for callers to make.
    is_returned = node.name.endswith(("Result", "Error", "Warning"))
    title = f"class {prefix}{node.name}" + (f"({signature(made)})" if made and not is_returned else "")
    out = entry(3, title, node, names)
    fields = [m for m in node.body if isinstance(m, ast.AnnAssign) and not ast.unparse(m.target).startswith("_")]
    if fields:
        out += ["**Fields**", "", *(f"- `{ast.unparse(m.target)}: {ast.unparse(m.annotation)}`" for m in fields), ""]
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
            kinds = [ast.unparse(decorator) for decorator in member.decorator_list]
            if any(kind.endswith(".setter") for kind in kinds):
                continue
            title = member.name if "property" in kinds else f"{member.name}({signature(member)})"
            out += entry(4, f"{node.name}.{title}", member, names)
    return out


def definitions(path):
    nodes = ast.parse(path.read_text()).body
    return {node.name: node for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def public(path):
    """The names of `__all__`, in its order."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    sys.exit(f"reference: {path.name} has no __all__")


def module(package, name, names):
    """A module's page: what it says of itself, then its names."""
    path = package / f"{name}.py" if (package / f"{name}.py").exists() else package / name / "__init__.py"
    prefix = "swgg." if name == "__init__" else f"swgg.{name}."
    title = "swgg" if name == "__init__" else f"swgg.{name}"
    out = [f"## {title}", "", body(ast.get_docstring(ast.parse(path.read_text())) or ""), ""]
    # A module of one file knows its own names first; those of the package are never from such modules.
    own = [path] if path.stem == name != "__init__" else []
    others = [other for other in sorted(path.parent.glob("*.py")) if own or other.stem not in MODULES]
    known = {}
    for other in [*own, *others]:
        known.update({key: node for key, node in definitions(other).items() if not key.startswith("_")} | known)
    for public_name in public(path):
        if public_name in known:
            out += described(known[public_name], prefix, names)
    return out


def main():
    package, names = Path(sys.argv[1]), []
    out = [HEAD]
    for name in ("__init__", *MODULES):
        if name == "__init__" or (package / f"{name}.py").exists() or (package / name).is_dir():
            out += module(package, name, names)
    print("\n".join(out).rstrip())


main()
