"""Renews `requirements.lock`, `environment.yml`, the locks of docs, fuzzer, mutants and `slurm`; run by `make lock`.

The lock pins every package of the extra `pipeline` and the group `dev` of `pyproject.toml`, with hashes, for every
platform and Python that `requires-python` admits; the other locks, what the groups `docs`, `slurm` and `mutants` need
beside these, and all that the group `fuzz` needs. They name no index: where packages come from is the user's to
configure.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
ENVIRONMENT = ROOT / "environment.yml"
FUZZ_LOCK = ROOT / "tools" / "fuzz.lock"
GROUPS = {
    "docs": ROOT / "docs" / "requirements.lock",
    "slurm": ROOT / "workflow" / "profiles" / "slurm" / "requirements.lock",
    "mutants": ROOT / "tools" / "mutants.lock",
}

COMPILE = (
    *("uv", "pip", "compile"),
    *("--universal", "--python-version", "3.11", "--fork-strategy", "fewest"),  # one pin a package
    *("--generate-hashes", "--upgrade", "--no-annotate", "--quiet"),
    "--no-header",  # it would repeat this command
)
ALL = ("pyproject.toml", "--extra", "pipeline", "--group", "dev")

HEAD = """\
# The pins of requirements.lock for conda; made by `make lock`.
name: mateprobe
channels:
  - conda-forge
dependencies:
  - python=3.11
  - pip
  - pip:
"""


def pins(lock: str) -> list[str]:
    """Returns the `name==version` lines of a lock, each with its environment marker, in the lock's order."""
    return re.findall(r"^\S+==[^\\\n]*[^\\\s]", lock, flags=re.MULTILINE)


def environment(lock: str) -> str:
    """Returns the text of `environment.yml` for a lock's text."""
    return HEAD + "".join(f"      - {pin}\n" for pin in pins(lock))


def beside(lock: str, other: str) -> str:
    """Returns what a lock's text has beside another's."""
    there = set(pins(other))
    blocks = re.findall(r"^\S+==.*\n(?: .*\n)*", lock, flags=re.MULTILINE)
    return "".join(block for block in blocks if pins(block)[0] not in there)


def compiled(*wanted: str) -> str:
    """Returns the text of a lock of what is wanted."""
    command = (sys.executable, "-m", *COMPILE, *wanted)
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    """Writes the files; none when no set of versions fits."""
    lock = compiled(*ALL)
    LOCK.write_text(lock, encoding="utf-8")
    ENVIRONMENT.write_text(environment(lock), encoding="utf-8")
    for group, path in GROUPS.items():
        wanted = compiled("--group", group, "--constraints", str(LOCK))
        path.write_text(beside(wanted, lock), encoding="utf-8")
    FUZZ_LOCK.write_text(compiled("--group", "fuzz"), encoding="utf-8")


if __name__ == "__main__":
    main()
