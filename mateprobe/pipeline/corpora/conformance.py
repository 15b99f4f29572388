"""The JSON Schema Test Suite as cases: verdicts that none of us wrote.

A group of the suite is one schema and instances with a label each. Its first valid instance is the
baseline, every other instance a variant: a fault where the suite says invalid, else a control. The
suite says no more than that, so a fault is expected to be reported ``invalid``, whatever keyword
did it. A group without a valid instance has nothing to compare with: its instances are samples
without a pair. A schema that asks the suite's server for another carries what that server holds.

Source: github.com/json-schema-org/JSON-Schema-Test-Suite, as the jsonschema source archive ships it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from mateprobe import strict_json
from mateprobe.errors import StudyError
from mateprobe.pipeline.corpora import Row

INVALID = "invalid"
"""The id of every rejection: the suite tells which instances are invalid, and not by which keyword."""

NO_BASELINE = "no_valid_instance"
"""The status of an instance whose group holds no valid one."""

SERVER = "http://localhost:1234/"
TESTS, REMOTES = "json/tests", "json/remotes"

Schema = dict[str, Any] | bool


def cases(*, drafts: Sequence[str], **archive: Path) -> Iterator[Row]:
    """Yield the cases of each draft, file by file, as ``{"draft", "schema", "instance", "remotes"?}`` pairs.

    Args:
        drafts: folders of the suite, such as ``draft2020-12``; files in folders below are left out.
        archive: the suite's files, by their path in the archive.

    Raises:
        StudyError: a draft without files.
    """
    for draft in drafts:
        files = [member for member in sorted(archive) if PurePosixPath(member).parent.as_posix() == f"{TESTS}/{draft}"]
        if not files:
            raise StudyError(f"cases.with.drafts: {draft!r}: expected files {TESTS}/{draft}/*.json, found none")
        remotes = dict(_remotes(archive, draft))
        for member in files:
            keyword = PurePosixPath(member).stem
            for group in strict_json.load(archive[member]):
                yield from _of_group(draft, keyword, group, remotes)


def _remotes(archive: Mapping[str, Path], draft: str) -> Iterator[tuple[str, Schema]]:
    """Yield address and content of what the suite's server holds for a draft and for all of them."""
    for member in sorted(archive):
        path = PurePosixPath(member)
        if path.is_relative_to(REMOTES):
            below = path.relative_to(REMOTES)
            if not below.parts[0].startswith("draft") or below.parts[0] == draft:
                yield f"{SERVER}{below}", strict_json.load(archive[member])


def _of_group(draft: str, keyword: str, group: Mapping[str, Any], remotes: Mapping[str, Schema]) -> Iterator[Row]:
    tests = group["tests"]
    shared: dict[str, Any] = {"draft": draft, "schema": group["schema"]}
    if needed := _needed(group["schema"], remotes):
        shared["remotes"] = needed
    samples = [{**shared, "instance": test["data"]} for test in tests]
    first = next((index for index, test in enumerate(tests) if test["valid"]), None)
    for index, test in enumerate(tests):
        if index == first:
            continue
        paired = first is not None
        fault = paired and not test["valid"]
        yield {
            "id": f"{draft}/{keyword}/{group['description']}/{test['description']}",
            "group": f"{draft}/{keyword}/{group['description']}",
            "family": f"{draft}/{keyword}",
            "obligation": draft,
            "relation": None if first is None else "violation" if fault else "preserve",
            "validity": "valid" if paired else "unreviewed",
            "provenance": f"JSON Schema Test Suite, {draft}/{keyword}.json, label of the suite",
            "expected": [INVALID] if fault else [],
            "baseline": samples[index if first is None else first],
            "variant": samples[index] if paired else None,
            "about": {
                "draft": draft,
                "keyword": keyword,
                "group": group["description"],
                "test": test["description"],
                "label": "valid" if test["valid"] else "invalid",
                **({} if paired else {"status": NO_BASELINE}),
            },
        }


def _needed(schema: Schema, remotes: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return the remotes that a schema names, or a remote it names does.

    A reference ends in the name of a file, whatever it is relative to: the name is looked for.
    """
    needed: dict[str, Schema] = {}
    texts = [text for text in [json.dumps(schema)] if SERVER in text]
    while texts:
        text = texts.pop()
        for uri, content in remotes.items():
            if uri not in needed and PurePosixPath(uri).name in text:
                needed[uri] = content
                texts.append(json.dumps(content))
    return dict(sorted(needed.items()))
