"""What ``mateprobe study new`` writes: a study that runs as it is, its cases and its validator."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

PARTS = {"study.yaml": "{name}.yaml", "cases.csv": "_cases/{name}.csv", "validator.py": "_code/{name}.py"}
"""The files here, and what each becomes below the studies folder."""


SCHEMA = "../mateprobe/schemas/study.schema.json"
"""Where the schema lies from a studies folder of the project; an editor that is told completes the keys."""


def starter(name: str, folder: Path) -> dict[Path, str]:
    """Return the text of each file of a new study, by its path."""
    here = files(__name__)
    texts = {
        folder / place.format(name=name): here.joinpath(part).read_text("utf-8").replace("NAME", name)
        for part, place in PARTS.items()
    }
    if (folder / SCHEMA).is_file():
        texts[folder / f"{name}.yaml"] = f"# yaml-language-server: $schema={SCHEMA}\n{texts[folder / f'{name}.yaml']}"
    return texts
