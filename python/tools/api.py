"""Write docs/python-api.md: python python/tools/api.py > docs/python-api.md."""

from __future__ import annotations

import inspect
from typing import Any

import corefed

HEAD = """\
# The Python API

<!-- Generated: python python/tools/api.py > docs/python-api.md -->

Everything that `import corefed` gives. [python.md](python.md) shows how it is used.
"""


def markdown() -> str:
    """All public names, functions first."""
    things = [(name, getattr(corefed, name)) for name in corefed.__all__ if name[0] != "_"]
    functions = [(name, thing) for name, thing in things if not inspect.isclass(thing)]
    errors = [(n, t) for n, t in things if inspect.isclass(t) and issubclass(t, BaseException)]
    classes = [(n, t) for n, t in things if inspect.isclass(t) and (n, t) not in errors]
    parts = [HEAD, "## Functions\n"]
    parts += [_entry(name, thing) for name, thing in functions]
    parts += ["## Classes\n"]
    parts += [_class(name, thing) for name, thing in classes]
    parts += ["## Errors\n", "| class | is a | meaning |\n|---|---|---|"]
    parts += [_error(name, thing) for name, thing in errors]
    return "\n".join(parts) + "\n"


def _entry(name: str, thing: Any, level: str = "###") -> str:
    signature = str(inspect.signature(thing)).replace("'", "")
    return f"{level} `{name}`\n\n```text\n{name}{signature}\n```\n\n{_words(thing)}\n"


def _class(name: str, thing: Any) -> str:
    methods = [
        (method, value)
        for method, value in vars(thing).items()
        if method[0] != "_" and inspect.isfunction(getattr(value, "__func__", value))
    ]
    parts = [_entry(name, thing)]
    for method, value in methods:
        plain = getattr(value, "__func__", value)
        parts.append(_entry(f"{name}.{method}", plain, "####"))
    return "\n".join(parts)


def _error(name: str, thing: type) -> str:
    first = (inspect.getdoc(thing) or "").splitlines()[0]
    parents = ", ".join(f"`{parent.__name__}`" for parent in thing.__bases__)
    return f"| `{name}` | {parents} | {first} |"


def _words(thing: Any) -> str:
    """A docstring, its sections as they are."""
    return f"```text\n{inspect.getdoc(thing)}\n```"


if __name__ == "__main__":
    print(markdown(), end="")
