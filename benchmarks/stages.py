"""The feasibility study as stages, each a process of its own: what each costs, and the bytes it writes."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Cost, run
from mateprobe.pipeline.section import parts, section_json
from mateprobe.pipeline.studies import load_study

VALIDATOR = "contracts_strict"
OUTPUTS = {
    "cases": "cases.jsonl",
    "observe": f"observations/{VALIDATOR}.jsonl",
    "outcomes": f"outcomes/{VALIDATOR}.jsonl",
    "summary": "summary.json",
}


def study(variations: int, shards: int = 1) -> dict[str, tuple[Cost, int]]:
    """Return cost and output bytes of each stage of one study, made in a folder that is then removed.

    Of several shards one is observed, and nothing comes after it.
    """
    made: dict[str, tuple[Cost, int]] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "studies", folder / "studies")
        shutil.copy(Path(__file__).with_name("distinct.py"), folder / "studies" / "_code")
        described = load_study(folder / "studies" / "feasibility.yaml")
        sections = {stage: described.section(stage, VALIDATOR) for stage in OUTPUTS}
        sections["cases"]["cases"] |= {"generate": "distinct:cases", "with": {"variations": variations}}
        sections["observe"]["shards"] = shards
        sections["summary"]["validators"] = [VALIDATOR]
        outputs = OUTPUTS | {"observe": f"observations/{parts(VALIDATOR, shards)[0]}.jsonl"}
        environment = {**os.environ, "MATEPROBE_CACHE": str(folder / "cache")}
        for stage in OUTPUTS if shards == 1 else ("cases", "observe"):
            command = [sys.executable, "-m", "mateprobe.pipeline", stage, "--study", "feasibility"]
            command += ["--validator", VALIDATOR] if stage in ("observe", "outcomes") else []
            cost = run([*command, "--section", section_json(sections[stage])], folder, environment)
            made[stage] = cost, (folder / "results" / "feasibility" / outputs[stage]).stat().st_size
    return made
