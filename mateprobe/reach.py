"""What a confined program may read and execute: the system, itself and its libraries, and nothing of the user's."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store",
    "/etc/alternatives", "/etc/group", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
    "/etc/locale.alias", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd",
    "/etc/ssl/openssl.cnf", "/etc/timezone",
    "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/self", "/proc/stat", "/proc/sys", "/proc/version",
    "/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm",
)  # fmt: skip
"""What languages read as they start: libraries, locale, time zone, how many processors there are."""

SETTINGS_OF_LANGUAGES = ("java*", "node*", "perl*", "python*", "ruby*")
"""Folders below /etc that belong to a language."""

BESIDE = ("lib", "lib64", "libexec", "pyvenv.cfg")
"""What belongs to a program in a folder ``bin``, beside that folder."""


def readable(programs: Iterable[str]) -> list[str]:
    """Return the paths that these programs may read beside what they are given."""
    languages = (str(path) for pattern in SETTINGS_OF_LANGUAGES for path in Path("/etc").glob(pattern))
    return [*SYSTEM, *languages, *(path for program in programs for path in _libraries(program))]


def executable(programs: Iterable[str]) -> list[str]:
    """Return the files the kernel must execute to run these programs: themselves, interpreters, loaders."""
    return sorted({path for program in programs for path in _chain(program)})


def _libraries(program: str) -> Iterator[str]:
    for path in _chain(program):
        for place in (Path(os.path.abspath(path)), Path(path).resolve()):
            if place.parent.name == "bin":
                yield from (str(place.parents[1] / name) for name in BESIDE)


@cache
def _chain(program: str) -> tuple[str, ...]:
    """Return a program and what it is run by, to the end."""
    found = [program]
    for path in found:
        found += (runner for runner in _run_by(path) if runner not in found)
    return tuple(found)


def _run_by(path: str) -> list[str]:
    """Return the interpreter that a script names, with what it has ``env`` find, or the loader of a binary."""
    try:
        with Path(path).open("rb") as stream:
            head = stream.read(4096)
            if head.startswith(b"\x7fELF\x02"):
                return _loaders(head, stream.fileno())
    except (OSError, struct.error):  # it will not run either
        return []
    words = os.fsdecode(head.partition(b"\n")[0]).removeprefix("#!").split() if head.startswith(b"#!") else []
    through = [word for word in words[1:] if not word.startswith("-") and "=" not in word][:1]
    if not words or Path(words[0]).name != "env":
        return words[:1]
    return [words[0], *filter(None, map(shutil.which, through))]


def _loaders(head: bytes, file: int) -> list[str]:
    """Return what the program header PT_INTERP of a 64-bit binary names (ELF-64 object file format, version 1.5)."""
    (start,), (size, count) = struct.unpack_from("=Q", head, 32), struct.unpack_from("=HH", head, 54)
    parts = [struct.unpack_from("=IIQQQQ", head, start + size * number) for number in range(count)]
    return [os.fsdecode(os.pread(file, part[5], part[2]).rstrip(b"\0")) for part in parts if part[0] == _INTERPRETER]


_INTERPRETER = 3
