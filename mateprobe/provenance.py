"""Which commit a validator came from: told by the caller, or read from a Git work tree on request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Literal

from .errors import InvalidType, InvalidValue, one_of

if TYPE_CHECKING:
    from pathlib import Path

Source = Literal["supplied", "observed"]

ERRORS = frozenset(
    {"timeout", "git_unavailable", "not_a_repository", "invalid_commit", "snapshot_changed", "git_error"}
)
"""Why an observation failed; the categories carry no path and no message of the machine."""

TIMEOUT = 10.0
"""Seconds one Git command may take."""

_COMMIT = re.compile(r"[0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?")  # SHA-1 or SHA-256


@dataclass(frozen=True, slots=True)
class GitProvenance:
    """A commit and whether the work tree differed from it; None where it is not known.

    Attributes:
        commit: 40 or 64 hex digits.
        dirty: whether tracked or untracked files differed. Unknown is None, never False.
        source: ``supplied`` by the caller, or ``observed`` by ``observe_git``.
        error: why an observation failed, one of ``ERRORS``; then commit and dirty are None.

    Raises:
        InvalidValue: a commit of another form, another source or error, or an error beside a result.
        InvalidType: ``dirty`` is neither a bool nor None.

    Examples:
        >>> GitProvenance("0" * 40, None, "observed").dirty is None
        True
    """

    commit: str | None
    dirty: bool | None
    source: Source
    error: str | None = None

    def __post_init__(self) -> None:
        if self.commit is not None and not (type(self.commit) is str and _COMMIT.fullmatch(self.commit)):
            raise InvalidValue(f"commit={self.commit!r}; expected 40 or 64 hex digits, or None if it is not known")
        if type(self.dirty) not in (bool, NoneType):
            raise InvalidType(f"dirty={self.dirty!r} has type {type(self.dirty).__name__}; expected bool or None")
        if self.source not in ("supplied", "observed"):
            raise InvalidValue(f"source={self.source!r}; expected 'supplied' or 'observed'")
        if self.error is None:
            return
        if self.error not in ERRORS:
            raise InvalidValue(f"error={self.error!r}; {one_of(str(self.error), ERRORS)}")
        if self.commit is not None or self.dirty is not None:
            raise InvalidValue(
                f"error={self.error!r} beside commit={self.commit!r}, dirty={self.dirty!r}: "
                "what could not be observed is None"
            )


def supplied_git_provenance(commit: str | None, dirty: bool | None = None) -> GitProvenance:
    """Return provenance the caller vouches for, such as what a build system passes on.

    Raises:
        InvalidValue, InvalidType: as ``GitProvenance``.

    Examples:
        >>> supplied_git_provenance("0" * 40, dirty=False).source
        'supplied'
    """
    return GitProvenance(commit, dirty, "supplied")


def observe_git(path: str | Path) -> GitProvenance:
    """Return the commit and cleanliness of the work tree that holds the folder ``path``.

    HEAD is read before and after the status: if it moved in between, the status belongs to neither
    commit. Untracked files count as differences, ignored files do not. Never raises: a failure is
    the ``error`` of the result.

    Examples:
        >>> observe_git("/no/such/folder").error
        'not_a_repository'
    """
    try:
        before = _head(path)
        dirty = bool(_git(path, "status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=none"))
        if _head(path) != before:
            raise _Unknown("snapshot_changed")
    except _Unknown as failure:
        return GitProvenance(None, None, "observed", failure.category)
    return GitProvenance(before, dirty, "observed")


class _Unknown(Exception):
    def __init__(self, category: str) -> None:
        super().__init__(category)
        self.category = category


def _head(path: str | Path) -> str:
    commit = _git(path, "rev-parse", "--verify", "HEAD").strip().decode("ascii", "replace")
    if not _COMMIT.fullmatch(commit):
        raise _Unknown("invalid_commit")
    return commit


# What Git says on standard error (in the C locale) and the category it means; the first found counts.
_SAID = (
    (b"not a git repository", "not_a_repository"),
    (b"cannot change to", "not_a_repository"),
    (b"Needed a single revision", "invalid_commit"),  # a repository without commits
)


def _git(path: str | Path, *arguments: str) -> bytes:
    import os
    import subprocess  # an audit does not need it, so start-up does not pay for it

    # Whatever the caller's environment says, the folder asked about is the one looked at. A file system
    # monitor would be a program of the repository's choice, and an optional lock would write into it.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", "-C", os.fspath(path), "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise _Unknown("timeout") from None
    except OSError:
        raise _Unknown("git_unavailable") from None
    except ValueError:  # a path with a NUL character
        raise _Unknown("not_a_repository") from None
    if done.returncode:
        raise _Unknown(next((category for said, category in _SAID if said in done.stderr), "git_error"))
    return done.stdout
