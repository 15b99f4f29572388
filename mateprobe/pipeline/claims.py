"""Stage ``claims``: every number the report states, computed again from an artifact and compared.

``paper/claims.yaml`` says for each number where the report states it, what it states, and where the
value is to be found: a JSON pointer, the length of what a pointer leads to, or a cell of a table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes, same
from mateprobe.errors import StageError, StudyError, one_of
from mateprobe.pipeline.files import sha256_file, write_bytes
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.yaml_file import YamlFile, read_yaml

CLAIMS = Path("paper/claims.yaml")
OUTPUT = RESULTS / "paper" / "claims.json"
KEYS = {"says", "expected", "artifact"}
SELECTIONS = {"pointer", "count", "cell"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--claims", type=Path, default=CLAIMS, help="the list of claims (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Write ``results/paper/claims.json``; return 0.

    Raises:
        StageError: a value differs from what is stated. StudyError: a claim leads nowhere.
    """
    claims = load_claims(args.claims)
    artifacts = sorted({claim["artifact"] for claim in claims.values()})
    inputs: dict[str, Path] = {"claims": args.claims, **{path: Path(path) for path in artifacts}}

    def make(partial: Mapping[str, Path]) -> None:
        content = {path: strict_json.load(Path(path)) for path in artifacts}
        found = [checked(id, claim, content[claim["artifact"]]) for id, claim in sorted(claims.items())]
        wrong = [claim for claim in found if not claim["agrees"]]
        if wrong:
            shown = "\n".join(
                f"{c['id']}: stated {c['expected']!r}, computed {c['value']!r} ({c['artifact']})" for c in wrong
            )
            raise StageError(f"{len(wrong)} of {len(found)} claims differ:\n{shown}")
        hashes = {path: sha256_file(Path(path)) for path in artifacts}
        rows = [{**claim, "sha256": hashes[claim["artifact"]]} for claim in found]
        write_bytes(partial["claims"], canonical_bytes({"claims": rows, "stated": len(rows)}) + b"\n")

    run_stage(
        "claims",
        inputs=inputs,
        params={},
        modules=[__name__],
        outputs={"claims": OUTPUT},
        make=make,
        receipt=OUTPUT.parent / "receipts" / "claims.json",
    )
    return 0


def load_claims(path: Path = CLAIMS) -> dict[str, dict[str, Any]]:
    """Return the claims by id, each with ``says``, ``expected``, ``artifact`` and one selection.

    Raises:
        StudyError: a section that is no mapping, a claim with other keys, or an artifact outside of
            ``results/``; names file, line and key.
    """
    file = read_yaml(path)
    claims: dict[str, dict[str, Any]] = {}
    for section, listed in file.content.items():
        for name, claim in listed.items():
            _check(file, (section, name), claim)
            claims[f"{section}.{name}"] = claim
    return claims


def _check(file: YamlFile, key: tuple[str, str], claim: Any) -> None:
    where = file.where(key)
    if not isinstance(claim, dict) or not claim.keys() >= KEYS or len(claim.keys() & SELECTIONS) != 1:
        raise StudyError(
            f"{where}: expected the keys {sorted(KEYS)} and one of {sorted(SELECTIONS)}, found {claim!r:.200}"
        )
    if unknown := sorted(claim.keys() - KEYS - SELECTIONS):
        raise StudyError(f"{where}: unknown key; {one_of(unknown[0], KEYS | SELECTIONS)}")
    artifact = Path(claim["artifact"])
    if artifact.parts[:1] != ("results",) or ".." in artifact.parts:
        raise StudyError(f"{where}: artifact={claim['artifact']!r}: expected a path below results/")


def checked(id: str, claim: Mapping[str, Any], content: Any) -> dict[str, Any]:
    """Return the claim with the value computed, and whether it is the one stated.

    Raises:
        StudyError: the selection leads nowhere in the artifact.
    """
    try:
        value = select(content, claim)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise StudyError(f"claim {id!r}: {claim['artifact']}: its selection leads nowhere: {error}") from None
    return {**claim, "id": id, "value": value, "agrees": same(value, claim["expected"])}


def select(content: Any, claim: Mapping[str, Any]) -> Any:
    """Return what a claim's selection finds in its artifact.

    Raises:
        KeyError, IndexError, ValueError, TypeError: nothing, or more than one thing.
    """
    if "cell" in claim:
        return _cell(content, claim["cell"])
    found = resolve(content, claim.get("pointer", claim.get("count")))
    return len(found) if "count" in claim else found


def resolve(content: Any, pointer: str) -> Any:
    """Return what an RFC 6901 JSON pointer leads to.

    Raises:
        KeyError, IndexError, ValueError, TypeError: nothing.
    """
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"pointer {pointer!r} must begin with /")
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        content = content[int(key)] if isinstance(content, list) else content[key]
    return content


def _cell(table: Mapping[str, Any], cell: Mapping[str, Any]) -> Any:
    """Return the value in a column of the one row whose other columns have the wanted values."""
    columns = table["columns"]
    wanted = {columns.index(name): value for name, value in cell.items() if name != "column"}
    rows = [row for row in table["rows"] if all(same(row[index], value) for index, value in wanted.items())]
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} rows match {dict(cell)!r}; expected one")
    return rows[0][columns.index(cell["column"])]


def artifacts_of(claims: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the artifacts claims are computed from, each once."""
    return sorted({claim["artifact"] for claim in claims})
