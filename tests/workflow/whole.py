"""A small project in which every stage has something to do, from an archive to the paper."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from mateprobe.canonical import digest, plain
from mateprobe.pipeline.environments import environment_name
from mateprobe.pipeline.pins import Archive
from mateprobe.pipeline.records import write_records
from mateprobe.pipeline.store import Artifact
from tests.unit.conftest import row
from tests.unit.packages import wheel
from tests.unit.test_agreement import PROFILE, frozen_cases, published
from tests.unit.test_evidence import pack_tree, sha256, write_pins
from tests.unit.test_programs import ADAPTER, AFTER, BEFORE, CHECK, DEFECT, SCRIPT
from tests.workflow.project import CODE, LEFT_OUT, NUMBERS, REPOSITORY
from tests.workflow.test_reruns_of_inputs import protocol

PARTS = (
    "Snakefile", "config", "environment.yml", "mateprobe", "paper/style.typ", "paper/references.bib",
    "requirements.lock", "workflow",
)  # fmt: skip
SIGN = [{"id": "sign", "description": "The number is not below zero."}]
CLAIMS = {
    "numbers": {
        "cases": {"says": "cases", "expected": 9, "artifact": "results/numbers/summary.json", "pointer": "/cases"}
    }
}
PAPER = """
#import "style.typ": paper, shown-figure, shown-table
#import "/results/paper/numbers.typ": n
#show: paper.with(title: [Small])
There are #n("numbers.cases") cases.
#shown-table("agreement", caption: [Values compared.])
#shown-figure("intervals", caption: [Rates.])
"""
STUDIES: tuple[dict[str, Any], ...] = (
    {**NUMBERS, "gate": {"validator": "by_sign"}, "tables": ["intervals"]},
    {
        "study": "published",
        "title": "Published, and judged again",
        "cases": {"evidence": "corpus.json", "controls": {"edit": "fact"}},
        "obligations": [{"id": "fact", "description": "It is pending."}],
        "validators": [
            {"id": "strict", "contracts": "_profiles/strict.yaml"},
            {"id": "other", "contracts": "_profiles/other.yaml"},
        ],
        "agreement": {
            "kind": "campaign",
            "validator": "strict",
            "frozen": {"report": "campaign.json", "corpus": "corpus.json", "summary": "summary.json"},
        },
        "tables": ["agreement"],
    },
    {
        "study": "releases",
        "title": "A release and the one that fixed it",
        "cases": {"defects": "_defects/tiny.json"},
        "obligations": SIGN,
        "validators": [BEFORE, AFTER],
        "tables": ["historical"],
    },
    {
        "study": "replayed",
        "title": "Replayed",
        "cases": {"file": "_cases/signs.json"},
        "obligations": SIGN,
        "validators": [{"id": "script", "command": ["python", "studies/_code/script.py"]}],
        "replay": True,
    },
)


def whole_project(path: Path) -> dict[str, str]:
    """Put the project into a new folder, with studies of its own; return what its runs want in their environment.

    All they want lies below this folder: an archive, an index of two releases of a package.
    """
    for name in PARTS:
        source, target = REPOSITORY / name, path / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(*LEFT_OUT))
        else:
            _write(target, source.read_text("utf-8"))
    index = path / "index"
    for release, limit in (("1.0", "<"), ("0.9", "< -1 +")):
        built = wheel(index, "tiny", release, CHECK.format(limit))
        pin = f"tiny=={release}"
        _write(
            path / f"studies/_locks/{environment_name([pin])}.txt",
            f"{pin} --hash=sha256:{sha256(built.read_bytes())}\n",
        )
    for study in STUDIES:
        _write(path / f"studies/{study['study']}.yaml", yaml.safe_dump(study, sort_keys=False))
    _write(path / "studies/_adapters/ask.py", ADAPTER)
    _write(path / "studies/_code/numbers_code.py", CODE)
    _write(path / "studies/_code/script.py", SCRIPT)
    _write(path / "studies/_cases/signs.json", json.dumps([row()]))
    _write(path / "studies/_defects/tiny.json", json.dumps({"defects": [DEFECT]}))
    for name in ("strict", "other"):
        _write(path / f"studies/_profiles/{name}.yaml", yaml.safe_dump(PROFILE))
    keep_answers(path)
    _write(path / "paper/claims.yaml", yaml.safe_dump(CLAIMS))
    _write(path / "paper/main.typ", PAPER)
    _write(path / "paper/protocols/numbers.md", protocol("Nothing is claimed.\n"))
    pack_evidence(path)
    return {"MATEPROBE_ARCHIVES": ".", "UV_DEFAULT_INDEX": index.as_uri(), "UV_CACHE_DIR": str(path / "uv")}


def keep_answers(path: Path, *violations: str) -> None:
    """Freeze what the script answered: that the one number is fine, and of the other the ids of what was wrong."""
    answers: list[dict[str, Any]] = [
        {
            "sample": digest(case),
            "accepted": not found,
            "complete": True,
            "violations": found,
            "evidence": [],
            "error": None,
        }
        for case, found in ((row()["baseline"], []), (row()["variant"], [*violations] or row()["expected"]))
    ]
    made_from = {"studies/_code/script.py": sha256(SCRIPT.encode())}
    frozen = path / "studies/_frozen/replayed/script.jsonl"
    frozen.parent.mkdir(parents=True, exist_ok=True)
    write_records(frozen, "observations", answers, {"validator": "script", "itemised": False, "made_from": made_from})


def pack_evidence(path: Path, **changes: Any) -> None:
    """Put the archive with a frozen report into the project and pin it; ``changes`` are of the report."""
    report = {**published(), **changes}
    content = {
        "corpus": plain(list(frozen_cases())),
        "campaign": report,
        "summary": {"targeted_audit": report["summary"]},
    }
    members = {f"{name}.json": json.dumps(value).encode() for name, value in content.items()}
    archive = pack_tree({f"demo-1.0/{name}": data for name, data in members.items()})
    (path / "demo-1.0.tar.gz").write_bytes(archive)
    pins = {name: Artifact(sha256(data), len(data)) for name, data in members.items()}
    (path / "studies/_frozen").mkdir(exist_ok=True)
    write_pins(
        path / "studies/_frozen/demo.yaml",
        Archive("demo-1.0.tar.gz", "demo==1.0", sha256(archive), "demo-1.0", pins),
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
