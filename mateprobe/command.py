"""A validator that is a program: it reads samples and writes verdicts, one JSON object a line.

It is asked ``{"id", "sample"}`` and answers ``{"id", "accepted", "complete", "violations", "evidence"}`` or
``{"id", "error"}``, in the same order, one at a time. Whatever else it does (hang, die, babble, grow)
becomes an error of the sample it was asked about; the program is then started anew for the next.
It runs without a shell, in a process group and an empty folder of its own, with few variables, and where the
system can confine it, it touches nothing else: see ``confine`` and ``reach``.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from json.encoder import encode_basestring_ascii
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from tempfile import TemporaryDirectory, TemporaryFile
from time import monotonic
from typing import IO, Any

from . import confine
from .answers import Answers, Fault, excerpt, told
from .canonical import canonical_bytes
from .errors import StudyError
from .reach import executable, readable
from .runner import Failure, Judgement, Origin

ANSWER_LIMIT = 1 << 20  # bytes of one answer
FILE_LIMIT = 256 << 20  # bytes of one file it writes
COMPLAINT_LIMIT = 8 << 10  # bytes of standard error that are remembered, the last ones
BLOCK = 1 << 16
AHEAD = 64  # samples a program may have before it has answered
GRACE = 2.0  # seconds a program that closed its output has to end by itself
PYTHON = "python"
"""As a program: the Python that runs MateProbe."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may take: seconds for one sample, its start included; MiB of address space; bytes of an answer."""

    seconds: float = 30.0
    memory_mb: int = 2048
    answer: int = ANSWER_LIMIT


@dataclass(frozen=True, slots=True)
class Reach:
    """What a program may touch beside the system's and its own libraries and its folder.

    ``reads`` are absolute paths of files and folders; ``runs`` are the programs it may start, by name or
    path. One that names none starts no process at all.
    """

    reads: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class Command:
    """A program as a validator. Started with the first sample; ``close`` ends it.

    Args:
        arguments: the program and its arguments.
        limits: what it may take.
        reach: what it may touch.
        preface: JSON data that a program is given as a line of its own before its first sample, unless None.

    Raises:
        StudyError: there is no such program, or an argument no program can be given.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        limits: Limits | None = None,
        reach: Reach | None = None,
        *,
        preface: Any = None,
    ) -> None:
        program = shutil.which(arguments[0])
        if program is None or "\0" in "".join(arguments):
            raise StudyError(f"command={[*arguments]!r}: expected a program on the PATH and arguments without NUL")
        self._arguments = [program, *arguments[1:]]
        self._limits = limits or Limits()
        self._reach = _found(reach or Reach())
        self._preface = b"" if preface is None else canonical_bytes(preface) + b"\n"
        self._process: _Process | None = None
        self._answers = Answers()

    def ask(self, id: str, sample: Any) -> Judgement:
        """Return what the program says of a sample; its every failure is a value."""
        try:
            return self._answers.judgement(id, self.exchange(id, sample))
        except Fault as fault:
            return self._failure(fault)

    def ask_ahead(self, samples: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Judgement]]:
        """Yield each sample's id and what the program says of it, as ``ask`` does; it has the next ones meanwhile.

        For programs of ours, which take one line after another, and samples as JSON that is on one line. A program
        that fails is started anew with the samples after the one it failed on. The time for one runs from the answer
        before it.
        """
        samples, waiting = iter(samples), deque[tuple[str, bytes]]()
        while True:
            if len(waiting) <= AHEAD // 2:
                waiting.extend(self._sent(samples, AHEAD - len(waiting)))
            if not waiting:
                return
            id, _ = waiting.popleft()
            try:
                yield id, self._answers.judgement(id, self._running().line(self._limits.seconds))
            except Fault as fault:
                yield id, self._failure(fault)
                for _, request in waiting:
                    self._running().send(request)

    def _sent(self, samples: Iterator[tuple[str, bytes]], most: int) -> Iterator[tuple[str, bytes]]:
        """Send samples and yield them; no more than a pipe holds, or one that holds more."""
        for id, sample in islice(samples, most):
            request = b'{"id":%b,"sample":%b}\n' % (encode_basestring_ascii(id).encode(), sample)
            self._running().send(request)
            yield id, request
            if self._running().unsent > BLOCK:
                return

    def exchange(self, id: str, sample: Any, seconds: float | None = None) -> bytes:
        """Return the line a program answers with, whatever stands in it.

        Raises:
            Fault: it did not answer as the protocol says, or in time; it has to be closed then.
        """
        request = canonical_bytes({"id": id, "sample": sample}) + b"\n"
        return self._running().exchange(request, self._limits.seconds if seconds is None else seconds)

    def _running(self) -> _Process:
        if self._process is None:
            self._process = _Process(self._arguments, self._limits, self._reach)
            if self._preface:
                self._process.send(self._preface)
        return self._process

    def _failure(self, fault: Fault) -> Failure:
        """Return what is said of a sample that the program failed on, which is ended."""
        complaint = self._process.complaint if self._process else ""
        self.close()
        return Failure(Origin.VALIDATOR, told(str(fault)), complaint)

    def close(self) -> None:
        """End the program and all it started."""
        if self._process:
            self._process.kill()
        self._process = None


class _Process:
    """A running program and the three pipes to it."""

    def __init__(self, arguments: Sequence[str], limits: Limits, reach: Reach) -> None:
        self._folder = TemporaryDirectory(prefix="mateprobe-")
        self._limit = limits.answer
        with TemporaryFile() as settings:  # an argument may be too long for the system, a file is not
            settings.write(canonical_bytes(_settings(arguments[0], limits, reach, self._folder.name)))
            settings.seek(0)
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-S", confine.SCRIPT, str(settings.fileno()), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=self._folder.name,
                env=_variables(self._folder.name),
                pass_fds=[settings.fileno()],
                start_new_session=True,
            )
        self._complaint = b""
        self._answer = bytearray()
        self._unsent = bytearray()
        self._deaf = False  # it reads no more
        self._selector = DefaultSelector()
        for stream, read in ((self._child.stdout, self._hear), (self._child.stderr, self._note)):
            os.set_blocking(_descriptor(stream), False)
            self._selector.register(_descriptor(stream), EVENT_READ, read)
        os.set_blocking(_descriptor(self._child.stdin), False)

    @property
    def complaint(self) -> str:
        """The end of what it wrote to standard error."""
        return self._complaint.decode(errors="replace")

    def exchange(self, request: bytes, seconds: float) -> bytes:
        """Write a line and return the one that comes back, without its end.

        Raises:
            Fault: none comes in time, or more or other than one line.
        """
        if surplus := bytes(self._answer) + _available(self._child.stdout):
            raise Fault(f"wrote without being asked: {excerpt(surplus)}")
        self.send(request)
        line = self.line(seconds)
        if self._unsent:
            raise Fault(f"answered before it had read the sample: {excerpt(line)}")
        if self._answer:
            raise Fault(f"expected one line for a sample, found another: {excerpt(self._answer)}")
        return line

    @property
    def unsent(self) -> int:
        """Bytes that the pipe has not taken yet."""
        return len(self._unsent)

    def send(self, request: bytes) -> None:
        """Have a line written as soon as the pipe takes it."""
        if not self._unsent and not self._deaf:
            self._selector.register(_descriptor(self._child.stdin), EVENT_WRITE, self._write)
        self._unsent += request

    def line(self, seconds: float) -> bytes:
        """Return the next line that comes back, without its end; what comes after it is kept.

        Raises:
            Fault: none comes in time, or none at all.
        """
        deadline = monotonic() + seconds
        while (end := self._answer.find(b"\n")) < 0:
            events = self._selector.select(max(deadline - monotonic(), 0))
            if not events and monotonic() >= deadline:
                raise Fault(f"no answer within {seconds:g} s")
            for key, _ in events:
                key.data()
        line = bytes(self._answer[:end])
        del self._answer[: end + 1]
        return line

    def _write(self) -> None:
        """Write what the pipe takes now."""
        try:
            del self._unsent[: os.write(_descriptor(self._child.stdin), self._unsent)]
        except BrokenPipeError:  # it reads no more; the end of its output will say why
            self._deaf = True
        if self._deaf or not self._unsent:
            self._selector.unregister(_descriptor(self._child.stdin))

    def _hear(self) -> None:
        if not (heard := _available(self._child.stdout)):
            raise Fault(self._ended())
        self._answer += heard
        if len(self._answer) > self._limit and self._answer.find(b"\n", 0, self._limit + 1) < 0:
            raise Fault(f"expected one line of at most {self._limit:,} bytes, found more")

    def _note(self) -> None:
        if noted := _available(self._child.stderr):
            self._complaint = (self._complaint + noted)[-COMPLAINT_LIMIT:]
        else:
            self._selector.unregister(_descriptor(self._child.stderr))

    def _ended(self) -> str:
        if self._answer:
            return f"expected a whole line, found the end of the output after {excerpt(self._answer)}"
        try:
            code = self._child.wait(GRACE)
        except subprocess.TimeoutExpired:
            return "closed its output and went on"
        while noted := _available(self._child.stderr):
            self._complaint = (self._complaint + noted)[-COMPLAINT_LIMIT:]
        last = _last(self.complaint)
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return f"{how}: {last}" if last else how

    def kill(self) -> None:
        """End the whole process group at once and give back what it held."""
        with suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        self._selector.close()
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            if stream:
                stream.close()
        self._folder.cleanup()


def _found(reach: Reach) -> Reach:
    """Return the reach with every program it may start by its path.

    Raises:
        StudyError: there is no such program.
    """
    paths = [shutil.which(sys.executable if name == PYTHON else name) for name in reach.runs]
    for name, path in zip(reach.runs, paths, strict=True):
        if path is None:
            raise StudyError(f"runs={[*reach.runs]!r}: expected programs on the PATH, found no {name!r}")
    return Reach(reach.reads, tuple(filter(None, paths)))


def _settings(program: str, limits: Limits, reach: Reach, folder: str) -> dict[str, Any]:
    """Return what ``confine`` is told."""
    _tell_unconfined()
    programs = (program, *reach.runs)
    return {
        "memory": limits.memory_mb << 20,
        "file": FILE_LIMIT,
        "reads": [*readable(programs), *reach.reads],
        "writes": [folder, os.devnull],
        "executes": executable(programs),
        "starts": bool(reach.runs),
        "landlock": confine.landlock(),
        "seccomp": confine.seccomp(),
    }


@cache
def _tell_unconfined() -> None:
    """Say once of a process that programs are not confined here, or only in part."""
    if lacking := confine.lacking():
        logging.getLogger("mateprobe").warning("programs are not confined here: %s; see docs/security.md", lacking)


def _variables(folder: str) -> dict[str, str]:
    """Return the variables of a program: none of ours but where programs are."""
    fixed = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "TZ": "UTC"}
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "TMPDIR": folder, **fixed}


def _available(stream: IO[bytes] | None) -> bytes:
    """Return what can be read now; nothing also at the end."""
    try:
        return os.read(_descriptor(stream), BLOCK)
    except BlockingIOError:
        return b""


def _descriptor(stream: IO[bytes] | None) -> int:
    assert stream is not None  # noqa: S101 - a pipe was asked for
    return stream.fileno()


def _last(text: str) -> str:
    """Return the last line that says something, at most 200 characters of it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
