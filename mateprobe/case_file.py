"""Files of audit cases: a JSON array, a JSON object with obligations and cases, JSON lines, or CSV.

A case is an object of the fields of ``AuditCase``. What the pipeline's own case records hold besides
is passed over; any other key is refused. CSV, see ``case_csv``, is told by the file's name. A record
file (see ``records``) has a header and a footer around its lines: where there is a
header, the footer must prove that no case is missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any

from . import strict_json
from .case_csv import Row, csv_rows
from .decoding import array, instance, read, reader
from .errors import InvalidType, InvalidValue
from .line_numbers import json_lines
from .validator_audit import AuditCase, Obligation

PASSED_OVER = frozenset({"about", "group", "family", "baseline_sha256", "variant_sha256"})
"""Keys of the pipeline's case records that an audit has no use for."""

FORMAT, VERSION = "mateprobe.cases", 1
UNDESCRIBED = "not described"
"""The description of an obligation that is known from its cases alone."""

Lines = Iterable[tuple[int, bytes]]


@dataclass(frozen=True, slots=True)
class CaseFile:
    """What an audit is made of: cases in file order, and the obligations they test.

    Where the file lists no obligations they are those its cases name, in order of appearance. An
    obligation without any case is then unknown. ``lines`` are those on which the cases begin, or empty.
    """

    cases: tuple[AuditCase[Any], ...]
    obligations: tuple[Obligation, ...] = ()
    lines: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not self.obligations:
            named = dict.fromkeys(case.obligation for case in self.cases)
            object.__setattr__(self, "obligations", tuple(Obligation(id, UNDESCRIBED) for id in named))


def load_cases(path: Path) -> CaseFile:
    """Return the cases of a file.

    Raises:
        InvalidValue, InvalidType: as ``read_cases``, or as ``csv_rows``.
        OSError: it cannot be read.
    """
    if path.suffix == ".csv":
        return _of_rows(case_rows(path))
    with path.open("rb") as stream:
        return read_cases(stream, str(path))


def case_rows(path: Path) -> Iterator[Row]:
    """Yield (place, case as JSON data) for every case of a file, unchecked; the place begins errors about it.

    Raises:
        InvalidValue, InvalidType: the file is not one of cases, or lists obligations too.
        OSError: it cannot be read.
    """
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as table:
            yield from csv_rows(table, str(path))
        return
    with path.open("rb") as stream:
        rows, text = _content(stream, str(path))
        yield from whole_rows(strict_json.loads(text, str(path)), f"{path}: $") if rows is None else rows


def whole_rows(data: Any, where: str) -> Iterator[Row]:
    """Yield (place, case) for every case of a list, alone or under the key ``cases``.

    Raises:
        InvalidType: the data are neither.
    """
    alone = not isinstance(data, dict) or data.keys() != {"cases"}
    cases, where = (data, where) if alone else (data["cases"], f"{where}.cases")
    if not isinstance(cases, list):
        raise InvalidType(f"{where}: expected a list of cases, alone or under the key 'cases' with no other key")
    yield from ((f"{where}[{index}]", case) for index, case in enumerate(cases))


def read_cases(stream: IO[bytes] | IO[str], where: str) -> CaseFile:
    """Return the cases of an open stream, which need not be seekable; ``where`` names it in errors.

    Raises:
        InvalidValue: not JSON, a missing or unknown key, a label that does not hold together, a
            record file that is not whole. InvalidType: a value of another JSON type. The message has
            the line or the path inside the file.
        OSError: it cannot be read.
    """
    rows, text = _content(stream, where)
    if rows is not None:
        return _of_rows(rows)
    whole: _Listed = read(_whole, strict_json.loads(text, where), f"{where}: $")
    return CaseFile(whole.cases, whole.obligations, json_lines(text.decode(), "cases"))


def _content(stream: IO[bytes] | IO[str], where: str) -> tuple[Iterator[Row] | None, bytes]:
    """Return the rows of JSON lines, or None and the one JSON text."""
    lines = strict_json.raw_lines(stream, where)
    first = next(lines, (1, b""))
    everything = chain([first], lines)
    if _is_row(first[1]):
        return _rows(everything, where), b""
    return None, _joined(everything, where)


def _of_rows(rows: Iterable[Row]) -> CaseFile:
    cases: list[AuditCase[Any]] = []
    lines: list[int] = []
    for place, value in rows:
        cases.append(read(read_case, value, f"{place}: $"))
        lines.append(int(place.rpartition(" ")[2]))
    return CaseFile(tuple(cases), lines=tuple(lines))


def load_obligations(path: Path) -> tuple[Obligation, ...]:
    """Return the obligations of a JSON file: an array of objects of the fields of ``Obligation``.

    Raises:
        InvalidValue, InvalidType: as ``read_cases``.
        OSError: it cannot be read.
    """
    return read(_OBLIGATIONS, strict_json.load(path), f"{path}: $")


def _is_row(line: bytes) -> bool:
    """Tell whether the first line of a file is an object of its own, and so the first of many."""
    if not line.startswith(b"{"):
        return False
    try:
        return not {"cases", "obligations"} & strict_json.loads(line, "").keys()
    except InvalidValue:
        return False  # it goes on in the next line, or is not JSON at all; reading the whole will tell


def _joined(lines: Lines, where: str) -> bytes:
    text = bytearray()
    for _, line in lines:
        text += line
        strict_json.within_limit(text, where)
    return bytes(text)


def _rows(lines: Lines, where: str) -> Iterator[Row]:
    """Yield (place, value) of every case; of a record file, check that it is whole."""
    digest = hashlib.sha256()
    header = footer = None
    for number, line in lines:
        value = strict_json.loads(line, f"{where}, line {number}") if line.strip() else None
        if footer is not None:
            raise InvalidValue(f"{where}, line {number}: expected nothing after the closing line {footer!r}")
        if number == 1 and isinstance(value, dict) and "format" in value:
            header = _checked_header(value, f"{where}, line 1")
        elif header and isinstance(value, dict) and value.keys() == {"end", "sha256"}:
            footer = value
            _check_footer(footer, {"end": number - 2, "sha256": digest.hexdigest()}, f"{where}, line {number}")
        elif value is not None:
            yield f"{where}, line {number}", value
        digest.update(line)
    if header and footer is None:
        raise InvalidValue(f'{where}: expected a closing line {{"end":…,"sha256":…}}; the file was cut short')


def _checked_header(header: dict[str, Any], where: str) -> dict[str, Any]:
    if header["format"] != FORMAT:
        raise InvalidValue(f"{where}: format={header['format']!r}; expected {FORMAT!r}, a file of cases")
    if header.get("version") != VERSION:
        raise InvalidValue(f"{where}: version={header.get('version')!r} of {FORMAT}; this mateprobe reads {VERSION}")
    return header


def _check_footer(footer: dict[str, Any], found: dict[str, Any], where: str) -> None:
    if footer != found:
        raise InvalidValue(f"{where}: the closing line says {footer}, found {found}; the file was cut short or edited")


def _as_it_is(value: Any) -> Any:
    return value


_FIELDS = instance(AuditCase, baseline=_as_it_is, variant=_as_it_is)


def read_case(value: Any) -> AuditCase[Any]:
    """Read one case; a reader as ``decoding`` knows them."""
    kept = {key: item for key, item in value.items() if key not in PASSED_OVER} if type(value) is dict else value
    case: AuditCase[Any] = _FIELDS(kept)
    return case


read_array = array([read_case], repeated=True)
"""Read an array of cases, likewise."""

_OBLIGATIONS = reader(tuple[Obligation, ...])


@dataclass(frozen=True, slots=True)
class _Listed:
    cases: tuple[AuditCase[Any], ...]
    obligations: tuple[Obligation, ...] = ()


_OBJECT = instance(_Listed, cases=read_array, obligations=_OBLIGATIONS)


def _whole(value: Any) -> _Listed:
    return _Listed(read_array(value)) if type(value) is list else _OBJECT(value)
