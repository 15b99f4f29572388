"""What is fuzzed: everything that reads bytes from elsewhere, each as a function of bytes and an empty folder.

A target returns where the bytes are taken or refused as they should be. It raises where MateProbe has a fault:
anything but an error of its own family, or an answer that a terminal would obey. The first byte of an input
chooses among the forms a target knows, so that one corpus serves all of them.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from selectors import DefaultSelector, SelectorKey
from types import SimpleNamespace
from typing import Any
from unittest import mock

from mateprobe import cli, command
from mateprobe.audit_file import load_audit
from mateprobe.command import Command
from mateprobe.errors import MateProbeError
from mateprobe.pipeline import study
from mateprobe.pipeline.archive import extract
from mateprobe.pipeline.cases import case_line
from mateprobe.pipeline.file_cases import file_cases
from mateprobe.pipeline.golden import read_hashes
from mateprobe.pipeline.pack_check import checked
from mateprobe.pipeline.pins import Archive
from mateprobe.pipeline.sealed import read_sealed
from mateprobe.pipeline.store import Artifact
from mateprobe.records import read_records
from mateprobe.visible import visible

Target = Callable[[bytes, Path], None]
OBLIGATIONS = ("o", "p")
NOBODY = 2**31 - 1
"""The id of no process: what is sent to it reaches nobody."""


class Obeyed(Exception):
    """Something was said that a terminal would obey, or hide."""


def loader(data: bytes, folder: Path) -> None:
    """Files of cases and audits: as ``mateprobe doctor`` reads and examines them, as ``audit`` and ``check`` read."""
    forms = ("doctor jsonl", "doctor json", "doctor csv", "check json", "audit toml", "audit jsonl")
    form, content = _chosen(data, forms)
    what, _, suffix = form.partition(" ")
    path = folder / f"input.{suffix}"
    path.write_bytes(content)
    if what != "audit":
        _command([what, str(path)], cli.run)
        return
    with _refusal():
        load_audit(path)  # not run: it may name a program


def study_file(data: bytes, folder: Path) -> None:
    """A study file, or a file of cases of one, as ``mateprobe study check`` and ``study list`` read them."""
    form, content = _chosen(data, ("study", "cases yaml", "cases csv", "profile"))
    files = {"studies/s.yaml": _STUDY, "studies/c.yaml": b"[]", "studies/c.csv": b"", "studies/p.yaml": _PROFILE}
    files |= {"studies/_code/m.py": b"def f(sample): ...\n"}
    changed = {"study": "s.yaml", "cases yaml": "c.yaml", "cases csv": "c.csv", "profile": "p.yaml"}[form]
    files[f"studies/{changed}"] = content
    if form == "cases csv":
        files["studies/s.yaml"] = _STUDY.replace(b"c.yaml", b"c.csv")
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    for arguments in (["check", str(folder / "studies/s.yaml")], ["list", "-C", str(folder / "studies")]):
        _command(arguments, lambda given, _, out, said: study.run(given, out, said))


def records(data: bytes, folder: Path) -> None:
    """Record files, also such as are whole but hold anything; sealed files; lists of hashes."""
    form, content = _chosen(data, ("raw", "whole", "whole strict", "sealed", "hashes"))
    path = folder / "cases.jsonl"
    whole = form.startswith("whole")
    path.write_bytes(_recorded(content) if whole else content)
    with _refusal():
        if form == "sealed":
            read_sealed(path)
        elif form == "hashes":
            read_hashes(path)
        else:
            for row in read_records(path, "cases", strict=form == "whole strict"):
                with _refusal():
                    case_line(row, OBLIGATIONS)
    if whole:
        with _refusal():
            for case in file_cases(path):
                with _refusal():
                    case_line(case, OBLIGATIONS)


def worker(data: bytes, _: Path) -> None:
    """What a program answers, in pieces: each begins with a byte for its stream and one for its length."""
    pieces = [*_pieces(data)]
    script = _Script(pieces)
    with (
        mock.patch("mateprobe.command.subprocess.Popen", script.child),
        mock.patch.object(command, "DefaultSelector", script.selector),
        mock.patch.object(command, "GRACE", 0.0),
    ):
        asked = Command(["true"])
        try:
            for id in ("a", "b"):
                judgement = asked.ask(id, {"text": "x"})
                json.dumps(repr(judgement))
        finally:
            asked.close()
            script.close()


def archive(data: bytes, folder: Path) -> None:
    """Archives: a published one with its pins, an evidence pack; as they are, or packed here from a tar archive."""
    form, content = _chosen(data, ("gz", "tar gz", "bz2", "tar bz2"))
    if form.startswith("tar "):
        pack = gzip.compress if form.endswith("gz") else bz2.compress
        content = pack(_summed(content))
    path = folder / "demo-1.0.tar"
    path.write_bytes(content)
    with _refusal():
        if form.endswith("gz"):
            extract(path, _PINNED, {name: folder / "out" / name for name in _PINNED.members})
        else:
            checked(path)
    outside = {entry.name for entry in folder.iterdir()} - {path.name, "out"}
    if outside:
        raise AssertionError(f"written outside: {sorted(outside)}")


TARGETS: Mapping[str, Target] = {
    "loader": loader, "study": study_file, "records": records, "worker": worker, "archive": archive,
}  # fmt: skip

_PINNED = Archive(
    "demo-1.0.tar.gz", "demo==1.0", "0" * 64, "demo-1.0", {"a": Artifact(hashlib.sha256(b"a\n").hexdigest(), 2)}
)
_STUDY = b"""\
study: s
title: T
cases: {file: c.yaml}
obligations: [{id: o, description: d}, {id: p, description: d}]
validators: [{id: v, callable: "m:f"}, {id: w, contracts: p.yaml}]
"""
_PROFILE = b"contracts: [{type: RequiredFact, rule_id: r, key: k, expected: 1}]\n"


def _chosen(data: bytes, forms: tuple[str, ...]) -> tuple[str, bytes]:
    """Return the form the first byte chooses, ``a`` for the first, and the rest."""
    return forms[(data[0] - ord("a")) % len(forms) if data else 0], data[1:]


@contextmanager
def _refusal() -> Iterator[None]:
    """Let errors of the family pass: that is how input is refused."""
    try:
        yield
    except MateProbeError as error:
        str(error).encode("utf-8", "backslashreplace")


def _command(arguments: list[str], run: Callable[..., int]) -> None:
    """Run a command in this process; it must end with a status, and say what can be looked at."""
    out, said = io.StringIO(), io.StringIO()
    status = run(arguments, io.BytesIO(), out, said)
    if status not in range(5):
        raise AssertionError(f"exit status {status}")
    for text in (out.getvalue(), said.getvalue()):
        text.encode()
        if visible(text) != text:
            raise Obeyed(repr(text[:2000]))


def _recorded(body: bytes) -> bytes:
    """Return a whole record file of any lines."""
    lines = b'{"format":"mateprobe.cases","version":1}\n' + b"".join(line + b"\n" for line in body.split(b"\n"))
    footer = {"end": lines.count(b"\n") - 1, "sha256": hashlib.sha256(lines).hexdigest()}
    return lines + json.dumps(footer).encode() + b"\n"


def _pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        stream, length, data = data[0], data[1] if len(data) > 1 else 0, data[2:]
        yield stream, data[: length + 1]
        data = data[length + 1 :]


class _Script:
    """Stands in for every program that a command starts: says its pieces one by one, once it has been asked."""

    def __init__(self, pieces: list[tuple[int, bytes]]) -> None:
        self._pieces = iter(pieces)
        self._ends: list[int] = []
        self._out = self._err = -1

    def child(self, *_: Any, **__: Any) -> Any:
        """Return what stands in for a running program."""
        (request, stdin), (stdout, self._out), (stderr, self._err) = os.pipe(), os.pipe(), os.pipe()
        self._ends += [request, self._out, self._err]
        streams = (os.fdopen(end, mode, buffering=0) for end, mode in ((stdin, "wb"), (stdout, "rb"), (stderr, "rb")))
        names = dict(zip(("stdin", "stdout", "stderr"), streams, strict=True))
        return SimpleNamespace(pid=NOBODY, wait=lambda *_: 0, returncode=0, poll=lambda: 0, **names)

    def selector(self) -> DefaultSelector:
        """Return a selector that lets the program go on as soon as there is nothing to hear."""
        script = self

        class Selector(DefaultSelector):
            def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
                if not (found := super().select(0)):
                    script.go_on()
                return found or super().select(0)

        return Selector()

    def go_on(self) -> None:
        """Say the next piece, or end."""
        stream, piece = next(self._pieces, (0, b""))
        end = self._err if stream % 8 == 7 else self._out  # most of it is said to be heard
        if piece:
            os.write(end, piece)
        elif end in self._ends:
            self._ends.remove(end)
            os.close(end)

    def close(self) -> None:
        """Close what is open."""
        for end in self._ends:
            os.close(end)


def _summed(data: bytes) -> bytes:
    """Return a tar archive whose headers have the checksums they should: else no change would get past them."""
    blocks = bytearray(data + bytes(-len(data) % tarfile.BLOCKSIZE))
    start = 0
    while start < len(blocks) and any(blocks[start : start + tarfile.BLOCKSIZE]):
        header = blocks[start : start + tarfile.BLOCKSIZE]
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % (sum(header) & 0o777777)
        blocks[start : start + tarfile.BLOCKSIZE] = header
        try:
            size = int(bytes(header[124:136]).strip(b" \0") or b"0", 8)
        except ValueError:
            size = 0
        start += tarfile.BLOCKSIZE + max(size + -size % tarfile.BLOCKSIZE, 0)
    return bytes(blocks)
