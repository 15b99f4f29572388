"""What an evidence pack says of itself: an RO-Crate whose actions are the receipts.

It is a Process Run Crate: a receipt says which stage made which files of which. It is no Workflow Run Crate,
since no receipt says in which run of the workflow that was, or whether its outputs were restored from the
store. Actions have neither time nor agent: the same results have the same description, whoever made them.

Source: RO-Crate 1.1; Process Run Crate 0.5.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mateprobe._version import __version__
from mateprobe.pipeline.stage import Receipt
from mateprobe.pipeline.store import Artifact
from mateprobe.reports.output import json_text

if TYPE_CHECKING:
    from rocrate.rocrate import ROCrate  # type: ignore[import-untyped]

DESCRIPTION = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
MEDIA = {
    ".bib": "application/x-bibtex",
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".lock": "text/plain",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".sha256": "text/plain",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".typ": "text/plain",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
"""Media types by suffix; not those of the machine, which differ."""

LICENCE, LOCK = "LICENSE", "requirements.lock"
TITLE = "Evidence of the MateProbe experiments"
ABOUT = (
    "Artifacts, receipts, manifests and claims of the MateProbe experiments, with the studies, protocols, pins and "
    "environment they were made from. SHA256SUMS lists every file: check them with `sha256sum -c SHA256SUMS`, and how "
    "they hang together with `mateprobe verify PACK`."
)


def described(files: Mapping[str, Artifact], receipts: Mapping[str, Receipt], python: str, date: str | None) -> bytes:
    """Return the RO-Crate metadata of a pack.

    Args:
        files: its files, by path in the pack.
        receipts: the receipts among them, by path.
        python: the version of Python, ``MAJOR.MINOR``.
        date: the day of publication, ``YYYY-MM-DD``; RO-Crate wants one, and a pack without has none to give.
    """
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(TERMS)
    crate.metadata.extra_terms["sha256"] = "http://schema.org/sha256"  # younger than the vocabulary of RO-Crate 1.1
    for path, artifact in sorted(files.items()):
        crate.add_file(dest_path=path, properties=_file(path, artifact))
    _add(crate, PROFILE, "CreativeWork", name="Process Run Crate", version=PROFILE.rpartition("/")[2])
    _add(crate, "#python", "SoftwareApplication", name="Python", softwareVersion=python)
    needed = _references(["#python", *({LOCK} & files.keys())])
    for stage in sorted({receipt.stage for receipt in receipts.values()}):
        how = f"python -m mateprobe.pipeline {stage}"
        _add(
            crate,
            _tool(stage),
            "SoftwareApplication",
            name=how,
            softwareVersion=__version__,
            softwareRequirements=needed,
        )
    for path, receipt in sorted(receipts.items()):
        _add(crate, f"#{quote(path)}", "CreateAction", **_action(path, receipt, files))
    root = crate.root_dataset
    del root["datePublished"]  # of the moment, by default
    about = {"name": TITLE, "description": ABOUT, "version": __version__, "conformsTo": {"@id": PROFILE}}
    dated = {"datePublished": date} if date else {}
    licence = {"license": {"@id": LICENCE}} if LICENCE in files else {}
    for name, value in {
        **about,
        **dated,
        **licence,
        "mentions": _references([f"#{path}" for path in receipts]),
    }.items():
        root[name] = value
    return json_text(crate.metadata.generate()).encode()


def _file(path: str, artifact: Artifact) -> dict[str, Any]:
    media = MEDIA.get(PurePosixPath(path).suffix)
    known = {"name": path, "contentSize": str(artifact.bytes), "sha256": artifact.sha256}
    return {**known, "encodingFormat": media} if media else known


def _action(path: str, receipt: Receipt, files: Mapping[str, Artifact]) -> dict[str, Any]:
    """Return one making of files; inputs that lie outside the project, known by name and hash only, are not objects."""
    return {
        "name": f"{receipt.stage}: {min(receipt.outputs)}",
        "description": f"code {receipt.code}, parameters {receipt.params}; as receipt {path} has it",
        "instrument": {"@id": _tool(receipt.stage)},
        "object": _references(receipt.inputs.keys() & files.keys()),
        "result": _references(receipt.outputs),
    }


def _tool(stage: str) -> str:
    return f"#stage-{quote(stage)}"


def _references(paths: Collection[str]) -> list[dict[str, str]]:
    """Return references, sorted; an id is a path as a URI has it."""
    return [{"@id": quote(path, safe="/#")} for path in sorted(paths)]


def _add(crate: ROCrate, id: str, kind: str, **properties: Any) -> None:
    from rocrate.model.contextentity import ContextEntity  # type: ignore[import-untyped]

    crate.add(ContextEntity(crate, id, properties={"@type": kind, **properties}))
