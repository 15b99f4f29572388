"""What a stage's code is: the digest of its entry modules and of all they import from us.

An edit in an imported module must rerun the stages that use it and no others, so the digest covers
the static import closure, in functions too. Modules are read, never imported. Names and bytes count,
paths do not: the same code has the same digest on every machine.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from mateprobe.errors import InvalidValue

PACKAGE = Path(__file__).resolve().parents[1]
SOURCE_LIMIT = 1 << 20  # bytes of a module: its syntax tree takes a hundred times as much


def code_digest(*modules: str, roots: Sequence[Path] = ()) -> str:
    """Return the lower-case hex SHA-256 of the import closure of ``modules``.

    Args:
        modules: dotted names of the entry modules.
        roots: folders of further code of ours, beside the package ``mateprobe``.

    Raises:
        InvalidValue: as ``closure``.
    """
    total = hashlib.sha256()
    for name, source in sorted(_sources(modules, roots).items()):
        total.update(f"{name} {hashlib.sha256(source.data).hexdigest()}\n".encode())
    return total.hexdigest()


def closure(*modules: str, roots: Sequence[Path] = ()) -> tuple[str, ...]:
    """Return the sorted names of ``modules`` and of all modules of ours they import, parents included.

    Modules found neither in ``mateprobe`` nor in ``roots`` belong to others and are left out.

    Raises:
        InvalidValue: an entry module is not found, or a module is not Python.
    """
    return tuple(sorted(_sources(modules, roots)))


class _Source:
    """A module's file: its path, its bytes with LF line ends, and the package its dots count from."""

    __slots__ = ("data", "is_package", "package", "path")

    def __init__(self, name: str, path: Path) -> None:
        self.path = path
        with path.open("rb") as stream:
            data = stream.read(SOURCE_LIMIT + 1)
        if len(data) > SOURCE_LIMIT:
            raise InvalidValue(f"{path}: expected Python source of at most {SOURCE_LIMIT:,} bytes, found more")
        self.data = data.replace(b"\r\n", b"\n")
        self.is_package = path.name == "__init__.py"
        self.package = name if self.is_package else name.rpartition(".")[0]


def _sources(modules: Iterable[str], roots: Sequence[Path]) -> dict[str, _Source]:
    found: dict[str, _Source] = {}
    for name in modules:
        if _find(name, roots) is None:
            where = ", ".join(map(str, [PACKAGE.name, *roots]))
            raise InvalidValue(f"module {name!r} is not found in {where}; expected a dotted module name")
    waiting = [*modules]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        parent = name.rpartition(".")[0]
        if name in seen:
            continue
        if parent and parent not in seen:
            waiting += [name, parent]
            continue
        seen.add(name)
        if parent in found and not found[parent].is_package:
            continue  # something in a module, such as a function: most names are, and no file need be looked for
        path = _find(name, roots)
        if path is not None:
            found[name] = source = _Source(name, path)
            waiting += _imports(source)
    return found


def _find(name: str, roots: Sequence[Path]) -> Path | None:
    """Return the file of a module of ours, or None; a name that is no dotted name has no file."""
    head, *rest = name.split(".")
    if not all(part.isidentifier() for part in (head, *rest)):
        return None
    bases = [PACKAGE.parent] if head == PACKAGE.name else roots
    for base in bases:
        stem = base.joinpath(head, *rest)
        for path in (stem / "__init__.py", stem.with_suffix(".py")):
            if path.is_file():
                return path
    return None


def _imports(source: _Source) -> tuple[str, ...]:
    try:
        return _imported_names(source.data, source.package)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # the last two say: nests too deeply
        raise InvalidValue(f"{source.path}: expected Python source: {error}") from None


@lru_cache(maxsize=1024)  # keyed by the bytes, so an edit in the same process is seen
def _imported_names(data: bytes, package: str) -> tuple[str, ...]:
    """Return every name the source may import; ``from a import b`` gives ``a`` and ``a.b``."""
    names: set[str] = set()
    for statement in _statements(ast.parse(data).body):
        if isinstance(statement, ast.Import):
            names.update(alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            base = _absolute(statement, package)
            names.add(base)
            names.update(f"{base}.{alias.name}" for alias in statement.names)
    return tuple(sorted(names))


def _absolute(statement: ast.ImportFrom, package: str) -> str:
    if not statement.level:
        return statement.module or ""
    base = package.split(".")
    if statement.level > len(base):  # beyond the top: Python refuses it too
        return ""
    base = base[: len(base) - statement.level + 1]
    return ".".join([*base, statement.module] if statement.module else base)


def _statements(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield all statements, nested ones too; imports are statements, so expressions need no visit."""
    waiting = [*body]
    while waiting:
        statement = waiting.pop()
        yield statement
        for field in ("orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(statement, field, ())
        if not _for_types_only(statement):
            waiting += getattr(statement, "body", ())


def _for_types_only(statement: ast.AST) -> bool:
    """Tell an ``if TYPE_CHECKING:``, whose body never runs."""
    if not isinstance(statement, ast.If):
        return False
    test = statement.test
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
