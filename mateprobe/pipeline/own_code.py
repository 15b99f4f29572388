"""Call a function of a study's own code, in a process of its own that ``command`` confines.

    python -I own_code.py CODE FOLDER FORM MODULE:FUNCTION

CODE is the folder the module lies in, FOLDER the one to run in. It reads one JSON object a line: first the further
arguments ``with``, those among them that are ``paths``, and ``guarded``; then ``{"id", "sample"}`` for each answer.
FORM says what that is:

    validator   the verdict on the sample, as the command protocol has it
    function    ``{"id", "result"}``, what the function makes of the sample
    generator   ``{"id", "result"}``, the next rows; none at the end

or ``{"id", "error"}``, with the ``family`` of what was raised, if it is an error of ours, unless of a validator.
"""

from __future__ import annotations

import json
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from json.encoder import encode_basestring_ascii
from pathlib import Path
from traceback import extract_tb
from typing import Any

BATCH = 64 << 10
"""Characters of rows that are sent at once."""

Answer = dict[str, Any]


def main(arguments: list[str]) -> None:
    """Answer every line of standard input until it ends."""
    _import_mateprobe()
    from mateprobe import worker

    code, folder, form, name = arguments
    requests, answers = worker._private_streams()  # noqa: SLF001 - its sibling
    os.chdir(folder)
    asked = json.loads(requests.readline())
    if asked["guarded"]:
        sys.addaudithook(_guard(Path(os.environ["TMPDIR"]).resolve()))
    further = asked["with"] | {key: Path(asked["with"][key]) for key in asked["paths"]}
    answer = _ANSWERS[form](Path(code), name, further)
    us = os.getpid()
    read = json.JSONDecoder().raw_decode  # without a look for white space: requests have none around them
    for line in requests:
        request, _ = read(line.decode())
        said = _said(request["id"], answer, request["sample"])
        if os.getpid() != us:  # the function forked and let its child return: one process answers, not two
            os._exit(0)
        answers.write(said.encode() + b"\n")
        answers.flush()


def _import_mateprobe() -> None:
    """Import the package this file is in; the folder it lies in may not be listed, so nothing can look it up there."""
    package = Path(__file__).resolve().parents[1]
    spec = spec_from_file_location(package.name, package / "__init__.py", submodule_search_locations=[str(package)])
    assert spec is not None  # noqa: S101 - for mypy: a path ending in .py has a loader
    assert spec.loader is not None  # noqa: S101 - likewise
    sys.modules[package.name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)


def _guard(own: Path) -> Callable[[str, tuple[Any, ...]], None]:
    """Return what lets Python refuse what goes through it, where the system does not confine this process."""

    def inside(value: Any) -> bool:
        return isinstance(value, int | None) or Path(os.fsdecode(value)).resolve().is_relative_to(own)

    def watch(event: str, values: tuple[Any, ...]) -> None:
        if event == "open":
            allowed = not (values[2] or 0) & _WRITING or values[0] == os.devnull or inside(values[0])
        elif event in _CHANGING:
            allowed = all(map(inside, values[:2]))
        else:
            allowed = event not in _REFUSED
        if not allowed:
            raise PermissionError(f"refused to the code of a study: {event} {values[:1]!r:.100}")

    return watch


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = {
    "os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate",
}  # fmt: skip
_REFUSED = {"os.kill", "os.killpg", "os.system", "socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg"}


def _said(id: str, answer: Callable[[Any], Answer | str], sample: Any) -> str:
    """Return the answer, or what was raised in its place: not even the end of the interpreter gets past this."""
    try:
        found = answer(sample)
        return (
            f'{{"id": {encode_basestring_ascii(id)}, {found if isinstance(found, str) else json.dumps(found)[1:-1]}}}'
        )
    except BaseException as error:  # noqa: BLE001 - a study's own code may fail in any way
        from mateprobe import errors
        from mateprobe.worker import described

        family = type(error).__name__
        if getattr(errors, family, None) is type(error):
            return json.dumps({"id": id, "error": str(error), "family": family})
        place = extract_tb(error.__traceback__)[-1]
        told = f"{described(error)} ({Path(place.filename).name}:{place.lineno})"
        return json.dumps({"id": id, "error": told, "family": ""})


def _validator(code: Path, name: str, further: Answer) -> Callable[[Any], Answer | str]:
    from mateprobe.runner import Failure, ask

    found = _found(code, name)

    def asked(sample: Any) -> Any:
        return found()(sample, **further)

    @lru_cache(maxsize=256)  # most samples are told one of a few
    def fields(accepted: bool, complete: bool, violations: tuple[str, ...]) -> str:
        return json.dumps({"accepted": accepted, "complete": complete, "violations": violations})[1:-1]

    def answer(sample: Any) -> Answer | str:
        before = _exactly(sample)
        try:
            said = ask(asked, sample)
        except BaseException as error:  # noqa: BLE001 - an interrupt, or the text of an exception that raises another
            return {"error": type(error).__name__}
        if isinstance(said, Failure):
            return {"error": said.message}
        if not _unchanged(sample, before):
            return {"error": "changed the sample it was asked about"}
        evidence = json.dumps(said.evidence) if said.evidence else "[]"
        return f'{fields(said.accepted, said.complete, said.violations)}, "evidence": {evidence}'

    return answer


def _unchanged(sample: Any, before: bytes | str) -> bool:
    try:
        if marshal.dumps(sample, 2) == before:
            return True
    except ValueError:
        pass
    return _as_it_was(sample, before)


def _as_it_was(sample: Any, before: bytes | str) -> bool:
    from mateprobe.canonical import same
    from mateprobe.errors import InvalidType, InvalidValue

    try:
        return _exactly(sample) == before or (isinstance(before, bytes) and same(sample, marshal.loads(before)))  # noqa: S302 (our own bytes)
    except (InvalidType, InvalidValue):  # it is no JSON any more
        return False


def _exactly(value: Any) -> bytes | str:
    """Return what is equal only for the same values, types and order: bytes, or a text of what nests too deep for them.

    Version 2 of marshal knows no references, and each value has one form. It takes a tenth of the time of a text.

    Raises:
        InvalidType, InvalidValue: it is more than data.
    """
    try:
        return marshal.dumps(value, 2)
    except ValueError:
        from mateprobe.canonical import canonical

        return canonical(value)


def _found(code: Path, name: str) -> Callable[[], Callable[..., Any]]:
    """Return what returns the function, once it is found; looking for it takes longer than a call of most."""
    from mateprobe.beside import function_below

    return cache(lambda: function_below(code, name))


def _function(code: Path, name: str, further: Answer) -> Callable[[Any], Answer]:
    from mateprobe.canonical import plain

    found = _found(code, name)
    return lambda value: {"result": plain(found()(value, **further))}


def _generator(code: Path, name: str, further: Answer) -> Callable[[Any], str]:
    from mateprobe.beside import function_below

    def rows() -> Iterator[Any]:
        yield from function_below(code, name)(**further)

    generated, encode = rows(), _row_encoder()
    return lambda _: _batch(generated, encode)


def _row_encoder() -> Callable[[Any], str]:
    """Return what makes the JSON text of a row; a baseline that follows its equal is not encoded again."""
    from mateprobe.canonical import canonical
    from mateprobe.errors import InvalidType, InvalidValue

    last: tuple[bytes | str, str] = ("", "")

    def encode(row: Any) -> str:
        nonlocal last
        if type(row) is not dict or len(row) < 2 or "baseline" not in row:
            return canonical(row)
        try:
            exact = _exactly(row["baseline"])
            if exact != last[0]:
                last = (exact, "")
                return canonical(row)
            last = (exact, last[1] or canonical(row["baseline"]))
            rest = canonical({key: row[key] for key in row if key != "baseline"})
        except (InvalidType, InvalidValue):
            return canonical(row)  # says where in the row it is
        return f'{{"baseline":{last[1]},{rest[1:]}'

    return encode


def _batch(rows: Iterator[Any], encode: Callable[[Any], str]) -> str:
    """Return the next rows as the text of an answer's fields.

    Raises:
        InvalidValue, InvalidType: one cannot be; names it.
    """
    from mateprobe.errors import InvalidType, InvalidValue

    taken: list[str] = []
    size = 0
    for row in rows:
        try:
            text = encode(row)
        except (InvalidType, InvalidValue) as error:
            id = row.get("id") if isinstance(row, dict) else row
            raise type(error)(f"case {id!r:.80}: {error}") from None
        taken.append(text)
        size += len(text)
        if size >= BATCH:
            break
    return f'"result": [{",".join(taken)}]'


_ANSWERS: dict[str, Callable[[Path, str, Answer], Callable[[Any], Answer | str]]] = {
    "validator": _validator,
    "function": _function,
    "generator": _generator,
}

if __name__ == "__main__":
    main(sys.argv[1:])
