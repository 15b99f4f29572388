"""A collection of model outputs: a manifest frozen before the first request, and what came of each attempt.

``manifest.json`` holds all that determines the requests; two lines of ``attempts.jsonl`` tell of an attempt:

    {"attempt": ID, "request": {…}, "reset": true}                       on disk before it is sent
    {"attempt": ID, "ended": "returned", "response": {…}, "seconds": 4.2}

An attempt is one model, one mode of decoding and one scenario: its id is ``MODEL/MODE/SCENARIO``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.errors import EvidenceError
from mateprobe.pipeline.protocols import chat_request

Data = Mapping[str, Any]
FORMAT = {"format": "mateprobe.collection", "version": 1}
KIND = "attempts"
MANIFEST, ATTEMPTS = "manifest.json", f"{KIND}.jsonl"


class Ended(StrEnum):
    """How an attempt ended; only ``RETURNED`` brought a JSON object under HTTP 200."""

    RETURNED = "returned"
    HTTP_ERROR = "http_error"
    NOT_JSON = "not_json"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    BROKEN_OFF = "broken_off"
    INTERRUPTED = "interrupted"
    """The capture itself was: nothing is known of the answer."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request a collection makes, and what it is about."""

    id: str
    model: str
    mode: str
    scenario: Data
    request: Data


def attempts(manifest: Data) -> dict[str, Attempt]:
    """Return every attempt of a collection by its id, in the order in which they are made."""
    return {attempt.id: attempt for attempt in _attempts(manifest)}


def _attempts(manifest: Data) -> Iterator[Attempt]:
    for model in manifest["models"]:
        for mode, fields in manifest["modes"].items():
            for scenario in manifest["scenarios"]:
                request = {
                    **chat_request(model, manifest["system"], prompt(manifest, scenario)),
                    **manifest["request"],
                    **fields,
                }
                yield Attempt(f"{model}/{mode}/{scenario['id']}", model, mode, scenario, request)


def prompt(manifest: Data, scenario: Data) -> str:
    """Return what the user says: what the model may know of the scenario, then what to do, in its language."""
    shown = {key: scenario[key] for key in ("setup", "current", "options")}
    return f"{json.dumps(shown, ensure_ascii=False)}\n\n{manifest['instructions'][scenario['language']].rstrip()}"


def read_manifest(path: Path) -> dict[str, Any]:
    """Return a manifest.

    Raises:
        EvidenceError: the file is none, or is of a newer version.
        InvalidValue: it is no strict JSON.
    """
    manifest = strict_json.load(path)
    found = {key: manifest.get(key) for key in FORMAT} if isinstance(manifest, dict) else manifest
    if found != FORMAT:
        raise EvidenceError(f"{path}: expected a manifest with {FORMAT}, found {found!r:.200}")
    return dict(manifest)
