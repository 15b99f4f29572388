"""Confine a process to what it may touch, then become the program it was started for.

    python -I -S confine.py SETTINGS PROGRAM ARGUMENT…

SETTINGS is a JSON object: ``memory`` and ``file`` in bytes; the absolute paths it ``reads``, ``writes`` and
``executes``; whether it ``starts`` processes; ``landlock``, the ABI to use, and whether to use ``seccomp``.

Linux alone can do this without privileges. Landlock bounds files, TCP and signals, for the process and all
it becomes: https://docs.kernel.org/userspace-api/landlock.html. A seccomp filter refuses what Landlock
has no word for: sockets of every kind, modes, owners and times of files, the way out of its process group, and
new processes.

A process of its own, since code between fork and exec is not safe in a program with threads.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import stat
import struct
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

SCRIPT = __file__

_NO_NEW_PRIVILEGES, _DIE_WITH_PARENT, _SECCOMP, _FILTER = 38, 1, 22, 2  # prctl(2)
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # syscalls, the same on every machine
_VERSION, _PATH_BENEATH = 1, 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_MAKE = 0x10 | 0x20 | 0x80 | 0x100 | 0x400 | 0x1000  # removing; making folders, files, pipes and links, no devices
_READS = _READ_FILE | _READ_DIR
_WRITES = _READS | _WRITE_FILE | _MAKE | _REFER | _TRUNCATE
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_TCP = 1 | 2  # bind, connect
_SCOPED = 1 | 2  # abstract sockets, signals

_KEPT_CAPABILITIES = 1 << 1 | 1 << 2  # root reads what others own, as it did; it has no other power
_CAPABILITIES_VERSION = 0x20080522

_CALLS: Mapping[str, tuple[int, Mapping[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "socket": 41, "setpgid": 109, "setsid": 112, "add_key": 248, "request_key": 249, "keyctl": 250,
            "unshare": 272, "io_uring_setup": 425, "prlimit64": 302,
            "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94, "utime": 132, "setxattr": 188,
            "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199,
            "utimes": 235, "fchownat": 260, "futimesat": 261, "fchmodat": 268, "utimensat": 280, "fchmodat2": 452,
            "setxattrat": 463, "removexattrat": 466,
            "fork": 57, "vfork": 58, "clone": 56, "clone3": 435,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "socket": 198, "setpgid": 154, "setsid": 157, "add_key": 217, "request_key": 218, "keyctl": 219,
            "unshare": 97, "io_uring_setup": 425, "prlimit64": 261, "clone": 220, "clone3": 435,
            "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
            "fchmod": 52, "fchmodat": 53, "fchownat": 54, "fchown": 55, "utimensat": 88, "fchmodat2": 452,
            "setxattrat": 463, "removexattrat": 466,
        },
    ),
}  # fmt: skip
"""By machine: how the kernel calls it, and the numbers of the system calls a filter is about."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # BPF instructions
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_CALL, _MACHINE, _FIRST = 0, 4, 16  # offsets in struct seccomp_data; the first argument's lower half
_THREAD = 0x10000  # CLONE_THREAD


@cache
def landlock() -> int:
    """Return the version of Landlock that this kernel has, 0 if none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(int(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _VERSION)), 0)


def seccomp() -> bool:
    """Tell whether filters of system calls can be written for this machine."""
    return sys.platform.startswith("linux") and os.uname().machine in _CALLS


def lacking() -> str:
    """Return what cannot be done here, in words; nothing where all can."""
    version = landlock()
    wanting = [
        *["files (no Landlock)"] * (not version),
        *["signals (Landlock older than 6)"] * (0 < version < 6),
        *["network and processes (no filter of system calls)"] * (not seccomp()),
    ]
    return ", ".join(wanting)


def apply(settings: Mapping[str, Any]) -> None:
    """Confine this process, for good.

    Raises:
        OSError: the kernel refused: nothing may run then.
    """
    if settings["landlock"] or settings["seccomp"]:
        _prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        _prctl(_NO_NEW_PRIVILEGES, 1)
        _drop_capabilities()
    if settings["landlock"]:
        _restrict(settings)
    if settings["seccomp"]:
        _filter(_instructions(os.uname().machine, starts=settings["starts"]))
    for what, size in (
        (resource.RLIMIT_AS, settings["memory"]),
        (resource.RLIMIT_FSIZE, settings["file"]),
        (resource.RLIMIT_CORE, 0),
    ):
        allowed = resource.getrlimit(what)[1]
        least = size if allowed == resource.RLIM_INFINITY else min(size, allowed)
        resource.setrlimit(what, (least, least))


def _drop_capabilities() -> None:
    """Leave root nothing but reading: no mount, no module, no clock, no other process."""
    library = ctypes.CDLL(None, use_errno=True)
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    held = ctypes.create_string_buffer(24)
    _checked(library.capget(header, held))
    permitted = struct.unpack("=6I", held.raw)[1] & _KEPT_CAPABILITIES
    _checked(library.capset(header, struct.pack("=6I", permitted, permitted, 0, 0, 0, 0)))


def _restrict(settings: Mapping[str, Any]) -> None:
    version = settings["landlock"]
    handled = (1 << (13 + (version >= 2) + (version >= 3) + (version >= 5))) - 1
    fields = [handled, *[_TCP] * (version >= 4), *[_SCOPED] * (version >= 6)]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules = _syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    granted: dict[str, int] = {}
    for key, rights in (("reads", _READS), ("writes", _WRITES), ("executes", _EXECUTE | _READ_FILE)):
        for path in settings[key]:
            granted[path] = granted.get(path, 0) | rights
    for path, rights in granted.items():
        _grant(rules, path, rights & handled)
    _syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _grant(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):  # what is not there needs no right
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        _syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _instructions(machine: str, *, starts: bool) -> bytes:
    """Return the filter: a list of tests, each of which answers the calls it is about."""
    known, calls = _CALLS[machine]
    refused = [name for name in calls if name not in ("prlimit64", "fork", "vfork", "clone", "clone3")]
    steps = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, known), _answer(_ENOSYS), (_LOAD, 0, 0, _CALL)]
    steps += [(_AT_LEAST, 0, 1, 0x40000000), _answer(_ENOSYS)]  # the other numbering x86 has
    for name in refused + ["fork", "vfork"] * (not starts):
        if name in calls:
            steps += [(_EQUAL, 0, 1, calls[name]), _answer(_EPERM)]
    if not starts:  # threads, yes; the C library falls back from clone3, whose flags no filter can read
        steps += [(_EQUAL, 0, 1, calls["clone3"]), _answer(_ENOSYS)]
        steps += [(_EQUAL, 0, 3, calls["clone"]), (_LOAD, 0, 0, _FIRST), (_ANY_BIT, 1, 0, _THREAD), _answer(_EPERM)]
        steps += [(_LOAD, 0, 0, _CALL)]
    steps += [(_EQUAL, 0, 3, calls["prlimit64"]), (_LOAD, 0, 0, _FIRST), (_EQUAL, 1, 0, 0), _answer(_EPERM)]
    steps += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _answer(error: int) -> tuple[int, int, int, int]:
    return _RETURN, 0, 0, _ERRNO | error


def _filter(instructions: bytes) -> None:
    kept = ctypes.create_string_buffer(instructions, len(instructions))
    program = struct.pack("@HP", len(instructions) // 8, ctypes.addressof(kept))
    _prctl(_SECCOMP, _FILTER, program)


def _prctl(option: int, first: int, second: bytes | int = 0) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    long = ctypes.c_ulong
    last = second if isinstance(second, bytes) else long(second)
    _checked(library.prctl(option, long(first), last, long(0), long(0)))


def _syscall(number: int, *arguments: bytes | int) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    given = (ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments)
    return _checked(library.syscall(ctypes.c_long(number), *given))


def _checked(result: int) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"cannot confine the program: {os.strerror(error)}")
    return result


def main(arguments: list[str]) -> None:
    """Confine this process and become the program."""
    settings, *command = arguments
    apply(json.loads(settings))
    os.execv(command[0], command)  # noqa: S606 - to become the program is what this is for


if __name__ == "__main__":
    main(sys.argv[1:])
