"""The functions a study names, wherever they run: ours in this process, the study's own in a confined one.

A study's own code gets what a program gets: a time limit, a memory limit, a folder of its own, and what the
study names to read. What it raises comes back as the error it was; what else it does is an error of the study,
or of the sample a validator was asked about.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from mateprobe import confine, errors, strict_json
from mateprobe.answers import Fault, told
from mateprobe.beside import stays_below
from mateprobe.command import Command, Limits, Reach
from mateprobe.errors import InvalidValue, StudyError
from mateprobe.pipeline import own_code
from mateprobe.pipeline.code import PACKAGE
from mateprobe.pipeline.named_code import allowed, is_own, load_function

LIMITS = Limits(seconds=600.0, memory_mb=4096, answer=strict_json.LIMIT)
"""What a study's generator may take in all, and what its other functions may take for each case."""

SCRIPT = Path(own_code.__file__)


class OwnCodeError(Exception):
    """A study's own code failed with an error that is none of ours, or did not answer; the text says how."""


def command_of(
    name: str,
    code: Path,
    form: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    reads: Sequence[Path] = (),
    runs: Sequence[str] = (),
    limits: Limits = LIMITS,
) -> Command:
    """Return a command that calls a function of a study's own code, as ``own_code`` describes ``form``.

    Args:
        name: ``module:function``.
        code: the folder the module lies in.
        form: validator, function or generator.
        arguments: further arguments; paths among them may be read.
        reads: further files it may read.
        runs: the programs it may start.
        limits: what it may take.

    Raises:
        StudyError: there is no such module, or the folder is a link to another place.
    """
    allowed(name.partition(":")[0], code)
    if not stays_below(code, code.parent):
        raise StudyError(f"{code}: expected a folder that stays below {code.parent}")
    further = dict(arguments or {})
    paths = sorted(key for key, value in further.items() if isinstance(value, Path))
    given = {
        "with": further | {key: further[key].as_posix() for key in paths},
        "paths": paths,
        "guarded": not confine.landlock(),
    }
    readable = [code, PACKAGE, *reads, *(further[key] for key in paths)]
    return Command(
        [sys.executable, "-I", str(SCRIPT), str(code.absolute()), str(Path.cwd()), form, name],
        limits,
        Reach(tuple(str(path.absolute()) for path in readable), tuple(runs)),
        preface=given,
    )


def generated(name: str, code: Path, arguments: Mapping[str, Any], reads: Sequence[Path] = ()) -> Iterator[Any]:
    """Yield what a generator of a study yields.

    Raises:
        StudyError: there is no such function. OwnCodeError: the study's own failed, or took more than it may;
            errors of ours that it raises pass through.
    """
    if not is_own(name):
        yield from load_function(name)(**arguments)
        return
    with closing(command_of(name, code, "generator", arguments, reads=reads)) as command:
        deadline = monotonic() + LIMITS.seconds
        while rows := _called(command, name, None, max(deadline - monotonic(), 0)):
            yield from rows


@contextmanager
def function_of(name: str, code: Path, reads: Sequence[Path] = ()) -> Iterator[Callable[[Any], Any]]:
    """Yield a function of one argument that a study names; the study's own returns JSON data.

    Raises:
        StudyError: there is no such function. The function: as ``generated``.
    """
    if not is_own(name):
        yield load_function(name)
        return
    with closing(command_of(name, code, "function", reads=reads)) as command:
        yield lambda value: _called(command, name, value, LIMITS.seconds)


def _called(command: Command, name: str, value: Any, seconds: float) -> Any:
    try:
        answer = strict_json.loads_quickly(command.exchange(name, value, seconds), name)
    except Fault as fault:
        command.close()
        raise OwnCodeError(told(str(fault))) from None
    except InvalidValue as error:
        raise OwnCodeError(f"expected JSON, found {error}") from None
    if not isinstance(answer, dict) or not answer.keys() & {"result", "error"}:
        raise OwnCodeError(f"expected an answer with result or error, found {answer!r:.80}")
    if "error" not in answer:
        return answer["result"]
    family = getattr(errors, str(answer.get("family")), None)
    if isinstance(family, type) and issubclass(family, errors.MateProbeError):
        raise family(answer["error"])
    raise OwnCodeError(told(str(answer["error"])))
