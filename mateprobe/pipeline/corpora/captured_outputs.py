"""Collections of our own capture: the record of each attempt checked against the manifest frozen before it.

A record that is not the frozen request, or of no attempt, is refused; what a server or a model answered
never is, only classified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mateprobe.errors import EvidenceError, InvalidStructure, one_of
from mateprobe.pipeline.collection import KIND, Attempt, Ended, attempts, read_manifest
from mateprobe.pipeline.corpora import Row
from mateprobe.pipeline.corpora.generations import check_attempt, check_fields, judged, number, row
from mateprobe.pipeline.files import sha256_file
from mateprobe.pipeline.protocols import PROTOCOLS, Protocol
from mateprobe.records import read_records

Data = Mapping[str, Any]
ASKED_KEYS, ENDED_KEYS = {"attempt", "request", "reset"}, {"attempt", "ended", "response", "seconds"}
"""The keys of the two lines of an attempt."""


def records(*, manifest: Path, outputs: Path) -> Iterator[Row]:
    """Yield one unpaired row per attempt of the collection, a missing attempt included.

    The family of a row is ``MODEL/MODE``. Its ``about`` holds the status and, where
    nothing was collected, which ``error`` kept it away.

    Args:
        manifest: what was frozen before the first request.
        outputs: the sealed attempts beside it.

    Raises:
        EvidenceError: another manifest, a record that is none of the collection's, a file cut short or
            edited; names the line and the field.
    """
    collection = read_manifest(manifest)
    wanted, protocol = attempts(collection), PROTOCOLS[collection["protocol"]]
    file = read_records(outputs, KIND, strict=True)
    check_fields(f"{outputs}, line 1", {"manifest_sha256": (file.header.get("manifest_sha256"), sha256_file(manifest))})
    asked: set[str] = set()
    ended: set[str] = set()
    for place, record in enumerate(file, 2):
        where = f"{outputs}, line {place}"
        if set(record) == ASKED_KEYS:
            check_attempt(where, record["attempt"], wanted, asked)
            _check_request(where, record, wanted[record["attempt"]].request, reset="reset" in collection)
        elif set(record) == ENDED_KEYS:
            check_attempt(where, record["attempt"], dict.fromkeys(asked), ended)
            if record["ended"] not in list(Ended):
                raise EvidenceError(f"{where}: ended: found {record['ended']!r:.200}; {one_of('', map(str, Ended))}")
            attempt = wanted[record["attempt"]]
            yield _row(attempt, *_classified(record, attempt, protocol))
        else:
            raise EvidenceError(
                f"{where}: expected {sorted(ASKED_KEYS)} or {sorted(ENDED_KEYS)}, found {record!r:.200}"
            )
    for id in sorted(wanted.keys() - ended):
        begun = {"status": "collection_error", "error": Ended.INTERRUPTED.value}
        yield _row(wanted[id], begun if id in asked else {"status": "missing"}, None)


def _check_request(where: str, record: Data, request: Data, *, reset: bool) -> None:
    sent = record["request"] if isinstance(record["request"], dict) else {}
    check_fields(
        where,
        {
            "reset": (record["reset"], reset),
            "request, keys": (sorted(sent), sorted(request)),
            **{f"request.{key}": (sent.get(key), value) for key, value in request.items()},
        },
    )


def _classified(record: Data, attempt: Attempt, protocol: Protocol) -> tuple[dict[str, Any], Any]:
    """Return what became of an attempt, and its envelope where it has one."""
    if record["ended"] != Ended.RETURNED:
        return {"status": "collection_error", "error": record["ended"]}, None
    try:
        answer = protocol.read(record["response"])
    except InvalidStructure:
        return {"status": "collection_error", "error": "no_completion"}, None
    about, envelope = judged(answer.text, attempt.scenario, finished=answer.finished)
    return {
        **about,
        "output_tokens": answer.output_tokens,
        "prompt_tokens": answer.prompt_tokens,
        "wall_seconds": number(record["seconds"]),
    }, envelope


def _row(attempt: Attempt, about: Data, envelope: Any) -> Row:
    about = {**about, "model": attempt.model, "mode": attempt.mode}
    return row(attempt.id, f"{attempt.model}/{attempt.mode}", attempt.scenario, about, envelope)
