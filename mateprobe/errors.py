"""The errors MateProbe raises on purpose.

    MateProbeError
    ├── InvalidValue   (ValueError)   a value of the right type that cannot be used
    ├── InvalidType    (TypeError)    a value of the wrong type
    │   └── InvalidStructure           a sample that has not the structure its adapter needs
    ├── EvidenceError  (ValueError)   bytes that are not the ones that were pinned
    ├── StudyError     (ValueError)   a study file, or another file of a study, that cannot be used
    └── StageError     (RuntimeError) a stage that ran and found that its result must not be used

Each is also the built-in a caller would expect, so ``except ValueError`` keeps working.
A failed threshold is an ``AssertionError``: it is a finding about the validator, not an error.
"""

from __future__ import annotations

from collections.abc import Iterable


class MateProbeError(Exception):
    """Base of every error MateProbe raises on purpose.

    Examples:
        >>> from mateprobe import Claim
        >>> try:
        ...     Claim("", 1)
        ... except MateProbeError as error:
        ...     print(error)
        claim key='' is empty; name the fact it declares
    """


class InvalidValue(MateProbeError, ValueError):
    """A value has the right type and cannot be used; the message shows it and what was expected.

    Examples:
        >>> issubclass(InvalidValue, ValueError)
        True
    """


class InvalidStructure(InvalidValue):
    """A sample cannot become a document: an adapter raises it where refusing the sample is a verdict."""


class InvalidType(MateProbeError, TypeError):
    """A value has the wrong type; the message shows its type and what was expected.

    Examples:
        >>> from mateprobe import Claim
        >>> try:
        ...     Claim("paid", [40])
        ... except InvalidType as error:
        ...     print(isinstance(error, TypeError))
        True
    """


class EvidenceError(MateProbeError, ValueError):
    """Bytes differ from what was pinned, or pinned bytes are absent; the message names the file.

    Examples:
        >>> raise EvidenceError("report.json: its sha256 is not the one that was pinned")
        Traceback (most recent call last):
        mateprobe.errors.EvidenceError: report.json: its sha256 is not the one that was pinned
    """


class StudyError(MateProbeError, ValueError):
    """A study, or a file it names, cannot be used; the message lists every problem with file and key.

    Examples:
        >>> raise StudyError("refunds.yaml, line 3: key 'obligatoins'; did you mean 'obligations'?")
        Traceback (most recent call last):
        mateprobe.errors.StudyError: refunds.yaml, line 3: key 'obligatoins'; did you mean 'obligations'?
    """


class StageError(MateProbeError, RuntimeError):
    """A stage found a disagreement or a failure its artifact must not hide; the message names it.

    Examples:
        >>> issubclass(StageError, RuntimeError)
        True
    """


_COMPARED = 200  # characters of a name: how alike long ones are takes long to tell


def one_of(found: str, allowed: Iterable[str]) -> str:
    """Return the tail of a message about a name: what was allowed, and the near miss if there is one."""
    from difflib import get_close_matches  # only errors need it

    options = sorted(allowed)
    near = get_close_matches(found[:_COMPARED], options, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"expected one of {', '.join(map(repr, options)) or '(there are none)'}{hint}"
