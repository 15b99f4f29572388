"""YAML as the pipeline reads it: plain data only, and the line every key stands on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mateprobe import strict_json
from mateprobe.errors import StudyError

if TYPE_CHECKING:
    import yaml

SIZE_LIMIT = 16 << 20  # bytes
NODES = 500_000  # values and keys of one file: each takes half a kilobyte while it is read
_TAG = "tag:yaml.org,2002:"
_PLAIN = {f"{_TAG}map", f"{_TAG}seq"}
_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class YamlFile:
    """The content of a YAML file as JSON data, and for each key path the line it stands on."""

    path: Path
    content: Any
    lines: dict[_Path, int] = field(default_factory=dict)

    def where(self, key: _Path) -> str:
        """Return ``file:line: key path`` for messages; of a missing key, the place of its parent."""
        known = next(key[:length] for length in range(len(key), -1, -1) if key[:length] in self.lines)
        return f"{self.path}:{self.lines[known]}: {key_text(key)}"


def key_text(key: _Path) -> str:
    """Return a key path as people write it: ``validators[1].id``."""
    text = "".join(f".{part}" if isinstance(part, str) and part.isprintable() else f"[{part!r}]" for part in key)
    return text.removeprefix(".") or "(top level)"


def read_yaml(path: Path) -> YamlFile:
    """Read one YAML document of plain data.

    Raises:
        StudyError: no such file, not UTF-8, no YAML; a tag, an alias, a key that is no string or
            stands twice; more than ``SIZE_LIMIT`` bytes or ``NODES`` values, or deeper than JSON may nest. The
            message names file and line.
    """
    import yaml

    try:
        with path.open("rb") as stream:
            data = stream.read(SIZE_LIMIT + 1)
        if len(data) > SIZE_LIMIT:
            raise StudyError(f"{path}: expected at most {SIZE_LIMIT:,} bytes, found more")
        text = data.decode("utf-8-sig")
        _check_events(path, text)
        node = yaml.compose(text, Loader=_loader())
        lines: dict[_Path, int] = {(): 1}
        content = _build(path, node, (), lines) if node is not None else None
    except OSError as error:
        raise StudyError(f"{path}: expected a readable YAML file: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise StudyError(
            f"{path}: expected UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}"
        ) from None
    except yaml.YAMLError as error:
        raise StudyError(f"{path}:{_line(error)}: expected YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise StudyError(f"{path}: nests too deeply; flatten it") from None
    return YamlFile(path, content, lines)


def _loader() -> Any:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _line(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark is not None else 1


def _check_events(path: Path, text: str) -> None:
    """Refuse what would be too large or too deep before anything is composed.

    Aliases are: nested, a few of them make a file of any size.
    """
    import yaml

    nodes = depth = 0
    for event in yaml.parse(text, Loader=_loader()):
        nodes += isinstance(event, yaml.NodeEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        problem = (
            (isinstance(event, yaml.AliasEvent) and f"alias *{event.anchor}; write the value out where it is used")
            or (depth > strict_json.DEPTH and f"nested deeper than {strict_json.DEPTH} levels; flatten it")
            or (nodes > NODES and f"expected at most {NODES:,} values and keys, found more; split the file")
        )
        if problem:
            raise StudyError(f"{path}:{event.start_mark.line + 1 if event.start_mark else 1}: {problem}")


def _build(path: Path, node: yaml.Node, key: _Path, lines: dict[_Path, int]) -> Any:
    import yaml

    lines[key] = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        return _scalar(path, node)
    if node.tag not in _PLAIN:
        raise StudyError(f"{path}:{lines[key]}: a collection is read as {node.tag}; expected plain data without tags")
    if isinstance(node, yaml.MappingNode):
        return dict(_items(path, node, key, lines))
    return [_build(path, item, (*key, index), lines) for index, item in enumerate(node.value)]


def _items(path: Path, node: yaml.MappingNode, key: _Path, lines: dict[_Path, int]) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for name_node, value in node.value:
        name = _build(path, name_node, key, {})
        line = name_node.start_mark.line + 1
        if not isinstance(name, str):
            raise StudyError(f"{path}:{line}: key {name!r} is no text; quote it")
        if name in seen:
            raise StudyError(f"{path}:{line}: key {key_text((*key, name))} stands twice; keep one")
        seen.add(name)
        yield name, _build(path, value, (*key, name), lines)
        lines[*key, name] = line


def _scalar(path: Path, node: yaml.Node) -> Any:
    kind, line = node.tag.removeprefix(_TAG), node.start_mark.line + 1
    if kind == "str":
        return node.value
    if kind == "null":
        return None
    if kind == "bool":
        return node.value.lower() in ("true", "yes", "on")
    try:
        if kind == "int":
            integer = int(node.value.replace("_", ""), 0)
            str(integer)  # one that cannot be written, as a hexadecimal one may be, could not be told or kept either
            return integer
        if kind == "float":
            number = float(node.value.replace("_", ""))
            if number - number == 0:  # false for infinities and NaN
                return number
    except ValueError:
        pass
    found = f"{node.value!r:.80} is read as {node.tag}"
    raise StudyError(f"{path}:{line}: {found}; expected plain data, or quote it as text")
