"""Stage ``claims``: every number the report states, computed again from an artifact and compared.

``paper/claims.yaml`` says for each number where the report states it, what it states, and where the
value is to be found, see ``selections``. Two of its sections are special: ``own`` holds numbers of our
own, with which there is nothing to compare, and ``not_computed`` those the report states and no
artifact can give, each with the reason. The paper takes its numbers from what is written here.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes, same
from mateprobe.errors import StageError, StudyError, one_of
from mateprobe.pipeline.files import sha256_file, write_bytes
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.selections import SELECTIONS, select
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.typst_text import string
from mateprobe.pipeline.yaml_file import YamlFile, read_yaml

CLAIMS = Path("paper/claims.yaml")
FOLDER = RESULTS / "paper"
OWN, NOT_COMPUTED = "own", "not_computed"
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True)
class Claims:
    """What a list of claims says, each by its id ``SECTION.NAME``.

    Attributes:
        stated: numbers of the report, each with ``says``, ``expected``, ``artifact`` and one selection.
        own: numbers of ours, the same without ``expected``.
        not_computed: numbers of the report, each with ``says``, ``stated`` and ``reason``.
    """

    stated: Mapping[str, Mapping[str, Any]]
    own: Mapping[str, Mapping[str, Any]]
    not_computed: Mapping[str, Mapping[str, Any]]

    @property
    def artifacts(self) -> list[str]:
        """The artifacts the numbers are computed from, each once."""
        return sorted({claim["artifact"] for claim in (*self.stated.values(), *self.own.values())})


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--claims", type=Path, default=CLAIMS, help="the list of claims (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Write ``results/paper/claims.json`` and ``numbers.typ``; return 0.

    Raises:
        StageError: a value differs from what is stated. StudyError: a claim leads nowhere.
    """
    claims = load_claims(args.claims)
    inputs: dict[str, Path] = {"claims": args.claims, **{path: Path(path) for path in claims.artifacts}}

    def make(partial: Mapping[str, Path]) -> None:
        written = computed(claims)
        _refuse_differences(written["claims"])
        write_bytes(partial["claims"], claims_bytes(written))
        write_bytes(partial["numbers"], numbers_text(values_of(written)).encode())

    run_stage(
        "claims",
        inputs=inputs,
        params={},
        modules=[__name__],
        outputs={"claims": FOLDER / "claims.json", "numbers": FOLDER / "numbers.typ"},
        make=make,
        receipt=FOLDER / "receipts" / "claims.json",
    )
    return 0


def computed(claims: Claims) -> dict[str, Any]:
    """Return every claim with its value computed from its artifact, as ``claims.json`` lists them.

    Raises:
        StudyError: a selection leads nowhere in its artifact.
    """
    content = {path: strict_json.load(Path(path)) for path in claims.artifacts}
    hashes = {path: sha256_file(Path(path)) for path in claims.artifacts}

    def of(claim: Mapping[str, Any]) -> dict[str, Any]:
        return {**claim, "sha256": hashes[claim["artifact"]]}

    stated = [of(checked(id, claim, content[claim["artifact"]])) for id, claim in sorted(claims.stated.items())]
    return {
        "claims": stated,
        OWN: [of(found(id, claim, content[claim["artifact"]])) for id, claim in sorted(claims.own.items())],
        NOT_COMPUTED: [{**claim, "id": id} for id, claim in sorted(claims.not_computed.items())],
        "stated": len(stated),
    }


def claims_bytes(written: Mapping[str, Any]) -> bytes:
    """Return ``claims.json`` as it is written."""
    return canonical_bytes(written) + b"\n"


def values_of(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every claim by id, and how many there are."""
    values = {claim["id"]: claim["value"] for claim in (*written["claims"], *written[OWN])}
    counts = {"computed": len(written["claims"]), "not_computed": len(written[NOT_COMPUTED])}
    return values | {f"claims.{name}": count for name, count in counts.items()}


def load_claims(path: Path = CLAIMS) -> Claims:
    """Return the claims of a file.

    Raises:
        StudyError: a section that is no mapping, a claim with other keys, or an artifact outside of
            ``results/``; names file, line and key.
    """
    file = read_yaml(path)
    listed: dict[str, dict[str, Mapping[str, Any]]] = {"expected": {}, OWN: {}, NOT_COMPUTED: {}}
    sections = file.content if isinstance(file.content, dict) else {}
    for section, claims in sections.items():
        if not isinstance(claims, dict):
            raise StudyError(f"{file.where((section,))}: expected claims by name, found {claims!r:.200}")
        into = section if section in (OWN, NOT_COMPUTED) else "expected"
        for name, claim in claims.items():
            _check(file, (section, name), claim, into)
            listed[into][f"{section}.{name}"] = claim
    if not listed["expected"]:
        raise StudyError(f"{path}: expected sections with claims, found none")
    return Claims(listed["expected"], listed[OWN], listed[NOT_COMPUTED])


def _check(file: YamlFile, key: tuple[str, str], claim: Any, kind: str) -> None:
    where = file.where(key)
    if kind == NOT_COMPUTED:
        if not isinstance(claim, dict) or claim.keys() != {"says", "stated", "reason"}:
            raise StudyError(f"{where}: expected the keys says, stated and reason, found {claim!r:.200}")
        return
    keys = {"says", "artifact"} if kind == OWN else {"says", "artifact", "expected"}
    if not isinstance(claim, dict) or not claim.keys() >= keys or len(claim.keys() & SELECTIONS) != 1:
        raise StudyError(
            f"{where}: expected the keys {sorted(keys)} and one of {sorted(SELECTIONS)}, found {claim!r:.200}"
        )
    if unknown := sorted(claim.keys() - keys - SELECTIONS):
        raise StudyError(f"{where}: unknown key; {one_of(unknown[0], keys | SELECTIONS)}")
    artifact = Path(claim["artifact"])
    if artifact.parts[:1] != ("results",) or ".." in artifact.parts:
        raise StudyError(f"{where}: artifact={claim['artifact']!r}: expected a path below results/")


def found(id: str, claim: Mapping[str, Any], content: Any) -> dict[str, Any]:
    """Return the claim with the value computed.

    Raises:
        StudyError: the selection leads nowhere in the artifact.
    """
    try:
        return {**claim, "id": id, "value": select(content, claim)}
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise StudyError(f"claim {id!r}: {claim['artifact']}: its selection leads nowhere: {error}") from None


def checked(id: str, claim: Mapping[str, Any], content: Any) -> dict[str, Any]:
    """Return the claim with the value computed, and whether it is the one stated.

    Raises:
        StudyError: the selection leads nowhere in the artifact.
    """
    computed = found(id, claim, content)
    return {**computed, "agrees": same(computed["value"], claim["expected"])}


def _refuse_differences(claims: Iterable[Mapping[str, Any]]) -> None:
    claims = list(claims)
    wrong = [claim for claim in claims if not claim["agrees"]]
    if wrong:
        shown = "\n".join(
            f"{c['id']}: stated {c['expected']!r}, computed {c['value']!r} ({c['artifact']})" for c in wrong
        )
        raise StageError(f"{len(wrong)} of {len(claims)} claims differ:\n{shown}")


def numbers_text(values: Mapping[str, Any]) -> str:
    """Return numbers as Typst functions of their ids: ``n`` in figures, ``share`` in percent, ``word`` in letters."""
    shown = {id: f"{value:,}" if _is_count(value) else str(value) for id, value in values.items()}
    shares = {id: f"{value:.1%}" for id, value in values.items() if isinstance(value, float) and 0 <= value <= 1}
    words = {id: WORDS[value] for id, value in values.items() if _is_count(value) and 0 <= value < len(WORDS)}
    return "".join(_function(name, table) for name, table in (("n", shown), ("share", shares), ("word", words)))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _function(name: str, table: Mapping[str, str]) -> str:
    entries = "".join(f"  {string(id)}: {string(text)},\n" for id, text in sorted(table.items()))
    return f"#let {name}(id) = ({':' * (not table)}\n{entries}).at(id)\n"
