"""Speak the command protocol for a function that judges samples, inside any environment of Python 3.7 or newer.

    python -I worker.py ADAPTER.py FUNCTION '{"name": "further argument"}'

In comes one JSON object a line, ``{"id", "sample"}``. Out goes one for each, in the same order:
``{"id", "accepted", "complete", "violations", "evidence"}``, or ``{"id", "error"}`` where the function
failed. The function returns the ids of what it found, none of which is acceptance; or a mapping with
those of the four keys that differ from that. Whatever it prints goes to standard error.

Imports the standard library alone, since it runs where MateProbe is not installed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from typing import IO, Any, Callable  # noqa: UP035 - the one in collections.abc takes no brackets in Python 3.7

Function = Callable[..., Any]

TEXT_LIMIT = 500
"""Characters of an exception's text that are passed on."""


def main(arguments: list[str]) -> None:
    """Answer every line of standard input until it ends."""
    path, name, parameters = arguments
    requests, answers = _private_streams()
    function, problem = _loaded(path, name)
    further = json.loads(parameters)
    us = os.getpid()
    for line in requests:
        request = json.loads(line)
        answer = {"error": problem} if function is None else ask(function, request["sample"], further)
        if os.getpid() != us:  # the function forked and let its child return: one process answers, not two
            os._exit(0)
        answers.write(json.dumps({"id": request["id"], **answer}).encode() + b"\n")
        answers.flush()


def ask(function: Function, sample: Any, further: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the function's verdict on a sample, or of its failure."""
    try:
        found = function(sample, **further)
        verdict = dict(found) if isinstance(found, Mapping) else {"violations": found}
        violations = sorted(set(verdict.pop("violations", ())))
    except BaseException as error:  # noqa: BLE001 - not even sys.exit() may end the worker
        return {"error": described(error)}
    return {"accepted": not violations, "complete": True, "violations": violations, "evidence": [], **verdict}


def described(error: BaseException) -> str:
    """Return ``Type: message``, also of an exception whose own text cannot be had."""
    try:
        message = str(error)
    except Exception as unprintable:  # noqa: BLE001 - the text of a foreign exception is foreign code
        message = f"(its message could not be read: {type(unprintable).__name__})"
    return f"{type(error).__name__}: {message[:TEXT_LIMIT]}"


def _private_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return streams of the protocol's own; what else reads or writes the standard ones cannot disturb it."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return requests, answers


def _loaded(path: str, name: str) -> tuple[Function | None, str]:
    """Return the function, or None and why there is none: then that is the answer to every sample."""
    try:
        spec = spec_from_file_location("adapter", path, loader=_Loader("adapter", path))
        module = module_from_spec(spec)  # type: ignore[arg-type]  # the loader is given
        sys.modules["adapter"] = module  # where dataclasses and type hints look for their module
        module.__loader__.exec_module(module)  # type: ignore[union-attr]  # likewise
        return getattr(module, name), ""
    except BaseException as error:  # noqa: BLE001 - an import may fail in any way
        return None, f"cannot load the adapter: {described(error)}"


class _Loader(SourceFileLoader):
    """Loads a source file and leaves no compiled one beside it."""

    def set_data(self, *_: Any, **__: Any) -> None:
        """Write nothing."""


if __name__ == "__main__":
    main(sys.argv[1:])
