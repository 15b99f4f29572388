"""Stage ``cases``: from a generator or a frozen file to checked, sorted case records."""

from __future__ import annotations

import argparse
import hashlib
import json
import marshal
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from traceback import extract_tb
from typing import Any

from mateprobe import strict_json
from mateprobe.beside import file_below
from mateprobe.canonical import canonical_bytes, plain_bytes
from mateprobe.errors import EvidenceError, InvalidType, InvalidValue, MateProbeError, StudyError, one_of
from mateprobe.outcome import Relation, Validity
from mateprobe.pipeline.file_cases import FileCase, file_cases
from mateprobe.pipeline.foreign import OwnCodeError, function_of, generated
from mateprobe.pipeline.named_code import is_own
from mateprobe.pipeline.records import write_records
from mateprobe.pipeline.section import (
    EVIDENCE,
    RESULTS,
    add_section,
    code_folder,
    parameters,
    parse_section,
    read_by_generator,
    receipt_path,
    source_path,
    stage_modules,
    study_folder,
)
from mateprobe.pipeline.sorting import Line, in_order
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.study_protocol import protocol_input, read_protocol

KEYS = (
    "id", "group", "family", "obligation", "relation", "validity", "provenance", "expected", "baseline", "variant",
)  # fmt: skip
_KEYS = frozenset(KEYS)
_WITH_ABOUT = _KEYS | {"about"}
_MIDDLE = sorted(_KEYS - {"baseline", "variant"})  # all of them sort between these two
_ALIKE = ("family", "obligation", "provenance", "relation", "validity")
_SHORT, _MANY = 512, 1024  # characters of labels that are remembered, and of how many rows at most
_RELATIONS, _VALIDITIES = tuple(Relation), tuple(Validity)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0."""
    section = parse_section(args.section)
    source, code = section["cases"], code_folder(section)
    inputs = case_inputs(section)

    def make(partial: Mapping[str, Path]) -> None:
        read_protocol(section["study"])  # before anything is observed
        checked = verified(_rows(section, inputs), source.get("verify"), code, read_by_generator(source))
        rows = pinned(checked, source.get("published"), code)
        encoder = Encoder(parsed=is_own(source.get("generate", "")))
        lines = (case_line(row, section["obligations"], encoder) for row in rows)
        count, _ = write_records(partial["cases"], "cases", unique(in_order(lines)))
        if not count:
            raise StudyError(f"study {section['study']!r}: its cases are none; a study without cases proves nothing")

    run_stage(
        "cases",
        inputs=inputs,
        params=parameters(section),
        modules=stage_modules("cases", section),
        roots=[code],
        outputs={"cases": RESULTS / section["study"] / "cases.jsonl"},
        make=make,
        receipt=receipt_path(section["study"], "cases"),
    )
    return 0


def case_inputs(section: Mapping[str, Any]) -> dict[str, Path]:
    """Return the files the cases of a study are made from, and its protocol, by a name that no machine decides.

    Raises:
        StudyError: a path leaves the folders it may lie in, or a pattern matches no file.
    """
    source, folder = section["cases"], study_folder(section)
    found = {"evidence": EVIDENCE / source["evidence"]} if "evidence" in source else {}
    found |= {"file": file_below(folder, source["file"], "cases.file")} if "file" in source else {}
    found |= {path.as_posix(): path for path in read_by_generator(source)} | protocol_input(section["study"])
    return found | dict(zip(source.get("from", {}).values(), given(source, folder).values(), strict=True))


def given(source: Mapping[str, Any], folder: Path) -> dict[str, Path]:
    """Return the files a generator is given, by argument name.

    Raises:
        StudyError: a path leaves the folders it may lie in.
    """
    return {name: source_path(path, folder) for name, path in source.get("from", {}).items()}


def _rows(section: Mapping[str, Any], inputs: Mapping[str, Path]) -> Iterator[Mapping[str, Any]]:
    """Return the rows from wherever the study has them."""
    source = section["cases"]
    if "evidence" in source:
        return _frozen(inputs["evidence"], source.get("controls", {}))
    if "file" in source:
        return file_cases(inputs["file"])
    return _generated(source, study_folder(section), code_folder(section))


def _generated(source: Mapping[str, Any], folder: Path, code: Path) -> Iterator[Mapping[str, Any]]:
    arguments = dict(source.get("with", {}))
    if "seed" in source:
        arguments["seed"] = source["seed"]
    arguments |= given(source, folder)
    try:
        yield from generated(source["generate"], code, arguments, read_by_generator(source))
    except MateProbeError:
        raise
    except Exception as error:  # however a generator fails
        place = extract_tb(error.__traceback__)[-1]
        where = "" if isinstance(error, OwnCodeError) else f" ({Path(place.filename).name}:{place.lineno})"
        named = f"cases.generate={source['generate']!r} with {sorted(arguments)}"
        raise StudyError(f"{named}: {_told(error)}{where}") from error


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, OwnCodeError) else f"{type(error).__name__}: {error}"


def _frozen(path: Path, controls: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a published corpus: a list of mutation cases, or an object that holds one.

    A published fault tests the rule it targets; what a control tests, ``controls`` says by family.
    """
    content = strict_json.load(path)
    cases = content.get("cases") if isinstance(content, dict) else content
    if not isinstance(cases, list):
        raise EvidenceError(f"{path}: expected a list of cases, alone or under the key cases, found neither")
    for position, case in enumerate(cases):
        try:
            targets = case["expected"]
            yield {
                **{key: case[key] for key in KEYS if key not in ("expected", "obligation")},
                "expected": [f"{target['rule_id']}/{target['code']}@{target['scope']}" for target in targets],
                "obligation": targets[0]["rule_id"] if targets else controls.get(case["family"]),
            }
        except (KeyError, TypeError) as error:
            found = f"{case!r:.80} ({type(error).__name__}: {error})"
            raise EvidenceError(f"{path}: cases[{position}]: expected a published case, found {found}") from None


def verified(
    rows: Iterable[Mapping[str, Any]], verify: str | None, code: Path, reads: Sequence[Path] = ()
) -> Iterator[Mapping[str, Any]]:
    """Yield rows after the study's oracle, written apart from its generator, has agreed with each.

    Raises:
        StudyError: the oracle raised anything; names the case.
    """
    if verify is None:
        yield from rows
        return
    with function_of(verify, code, reads) as oracle:
        for row in rows:
            try:
                oracle(row)
            except Exception as error:  # however an oracle says no
                raise StudyError(f"{_named(row)}: refused by {verify}: {_told(error)}") from error
            yield row


def pinned(
    rows: Iterable[Mapping[str, Any]], published: Mapping[str, str] | None, code: Path
) -> Iterator[Mapping[str, Any]]:
    """Yield rows; at their end, hold them against the published file they must equal byte for byte.

    Raises:
        StudyError: the rows as published JSON (keys sorted, indent 2, final newline) have another hash.
    """
    if published is None:
        yield from rows
        return
    texts = []
    with function_of(published["rows"], code) as as_published:
        for row in rows:
            try:
                texts.append(as_published(row))
            except OwnCodeError as error:
                raise StudyError(f"{_named(row)}: cases.published.rows={published['rows']!r}: {error}") from error
            yield row
    sha256 = hashlib.sha256(json.dumps(texts, indent=2, sort_keys=True).encode() + b"\n").hexdigest()
    if sha256 != published["sha256"]:
        raise StudyError(f"cases as published JSON: expected sha256 {published['sha256']}, found {sha256}")


class Encoder:
    """Turns samples into canonical bytes, each with its identity, and remembers labels that many rows share.

    Args:
        parsed: whether samples come from JSON, and are plain data as they stand.
    """

    def __init__(self, *, parsed: bool = False) -> None:
        self._parsed = parsed
        self._last: tuple[bytes | None, tuple[bytes, str]] = (None, (b"", ""))
        self._labels: dict[tuple[Any, ...], tuple[bytes, bytes]] = {}

    def baseline(self, sample: Any) -> tuple[bytes, str]:
        """Return what ``sample`` does; a baseline that follows its equal, as most do, is not encoded again."""
        try:
            exact = marshal.dumps(sample, 2)  # equal only for equal values, types and order
        except ValueError:
            return self.sample(sample)
        if exact != self._last[0]:
            self._last = (exact, self.sample(sample))
        return self._last[1]

    def sample(self, sample: Any) -> tuple[bytes, str]:
        """Return a sample's canonical bytes and their SHA-256 in hexadecimal.

        Raises:
            InvalidValue, InvalidType: JSON cannot hold it.
        """
        data = self._bytes(sample)
        return data, hashlib.sha256(data).hexdigest()

    def _bytes(self, sample: Any) -> bytes:
        if self._parsed:
            try:
                return plain_bytes(sample)
            except (ValueError, RecursionError):
                pass
        return canonical_bytes(sample)  # says what is wrong, and where

    def labels(self, row: Mapping[str, Any]) -> bytes | None:
        """Return the canonical labels of a row if but for its id and group they are those of one remembered."""
        id, group = row["id"], row["group"]
        if not (id and type(id) is type(group) is str):
            return None
        try:
            around = self._labels.get(_labels_alike(row))
            return around and b'%b,"group":%b,"id":%b,%b' % (around[0], plain_bytes(group), plain_bytes(id), around[1])
        except (TypeError, ValueError):  # a label that cannot be looked up, a lone surrogate
            return None

    def remember(self, row: Mapping[str, Any], labels: bytes) -> None:
        """Remember the labels of a row that says all it must."""
        if not self._parsed or len(labels) > _SHORT or len(self._labels) >= _MANY:
            return
        before, after = ({key: row[key] for key in keys} for keys in (_MIDDLE[:2], _MIDDLE[4:]))
        self._labels[_labels_alike(row)] = canonical_bytes(before)[1:-1], canonical_bytes(after)[1:-1]


def _labels_alike(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return all labels but id and group; equal only if they are the same JSON, of rows that have been checked."""
    expected = row["expected"]
    return (type(expected), *expected, *map(row.get, _ALIKE))


def case_line(row: Mapping[str, Any], obligations: Collection[str], encoder: Encoder | None = None) -> Line:
    """Return a case's id and canonical line, with the identities of its samples, if it says all it must.

    A row without relation is a sample without a pair: it has no variant, and no baseline either if
    what was collected never became a sample. ``about`` may hold facts of where a sample comes from.

    Raises:
        InvalidValue, InvalidType: a key too few or too many, an unknown obligation, relation or
            validity, a fault without expected ids, a control with them, a valid label without
            provenance, a sample JSON cannot hold. The message names the case.
    """
    if not isinstance(row, Mapping):
        raise InvalidType(
            f"case {row!r:.80} is a {type(row).__name__}; expected an object with the keys {sorted(KEYS)}"
        )
    if not _KEYS <= row.keys() <= _WITH_ABOUT:
        raise InvalidValue(f"{_named(row)} has the keys {sorted(row)}; expected {sorted(KEYS)} and, if wanted, about")
    unpaired = row["relation"] is None
    if unpaired and (row["variant"] is not None or row["expected"] or row["validity"] != Validity.UNREVIEWED):
        raise InvalidValue(
            f"{_named(row)} has no relation: expected no variant, no expected ids and validity unreviewed"
        )
    encoder = encoder or Encoder()
    labels = encoder.labels(row)
    if labels is None:
        _check_labels(_named(row), row, obligations, unpaired=unpaired)
    try:
        if labels is None:
            labels = canonical_bytes({key: row[key] for key in _MIDDLE})[1:-1]
            encoder.remember(row, labels)
        return row["id"], _line(row, encoder, labels, unpaired=unpaired)
    except (InvalidValue, InvalidType) as error:
        raise type(error)(f"{_named(row)}: {error}") from None


def _named(row: Any) -> str:
    """Return what messages call a row: the id of its case, after its place if it has one."""
    place = f"{row.place}: " if isinstance(row, FileCase) else ""
    id = row.get("id") if isinstance(row, Mapping) else row
    return f"{place}case {id!r:.80}"


def _line(row: Mapping[str, Any], encoder: Encoder, labels: bytes, *, unpaired: bool) -> bytes:
    """Put the line together in the order of its keys: samples, most of it, are encoded once."""
    about = b'"about":%b,' % canonical_bytes(row["about"]) if "about" in row else b""
    (baseline, its_sha256), (variant, sha256) = encoder.baseline(row["baseline"]), encoder.sample(row["variant"])
    first, last = b'"%b"' % its_sha256.encode(), b'"%b"' % sha256.encode()
    if unpaired:
        first, last = b"null" if row["baseline"] is None else first, b"null"
    return b'{%b"baseline":%b,"baseline_sha256":%b,%b,"variant":%b,"variant_sha256":%b}' % (
        about, baseline, first, labels, variant, last,
    )  # fmt: skip


def _check_labels(name: str, row: Mapping[str, Any], obligations: Collection[str], *, unpaired: bool) -> None:
    for key in ("id", "group", "family", "provenance"):
        if not isinstance(row[key], str) or (key == "id" and not row[key]):
            raise InvalidType(f"{name} {key}={row[key]!r}; expected text")
    for key, words in (("relation", _RELATIONS), ("validity", _VALIDITIES), ("obligation", obligations)):
        if row[key] not in words and not (unpaired and row[key] is None):
            raise InvalidValue(f"{name} {key}={row[key]!r}: {one_of(str(row[key]), map(str, words))}")
    expected = row["expected"]
    if not isinstance(expected, list | tuple) or not all(isinstance(id, str) and id for id in expected):
        raise InvalidType(f"{name} expected={expected!r}; expected a list of finding ids")
    if bool(expected) is not (row["relation"] == Relation.VIOLATION):
        raise InvalidValue(
            f"{name} relation={row['relation']!r} expected={expected!r}; a fault names ids, a control none"
        )
    if row["validity"] == Validity.VALID and not row["provenance"]:
        raise InvalidValue(f"{name} is labelled valid without provenance; say who or what established it")


def unique(lines: Iterable[Line]) -> Iterator[bytes]:
    """Yield the lines of sorted cases.

    Raises:
        InvalidValue: two of them have one id.
    """
    last = None
    for id, line in lines:
        if id == last:
            raise InvalidValue(f"case {id!r} occurs twice; give every case an id of its own")
        last = id
        yield line
