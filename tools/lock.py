"""Renews `requirements.lock` and `environment.yml` from `pyproject.toml`; run by `make lock`.

The lock pins every package of the extra `pipeline` and the group `dev`, with hashes, for every platform and
Python that `requires-python` admits. It names no index: where packages come from is the user's to configure.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
ENVIRONMENT = ROOT / "environment.yml"

COMPILE = (
    *("uv", "pip", "compile", "pyproject.toml", "--extra", "pipeline", "--group", "dev"),
    *("--universal", "--python-version", "3.11", "--fork-strategy", "fewest"),  # one pin a package
    *("--generate-hashes", "--upgrade", "--no-annotate", "--quiet"),
    "--no-header",  # it would repeat this command
)

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


def main() -> None:
    """Writes both files, or neither when no set of versions fits."""
    lock = subprocess.run(
        (sys.executable, "-m", *COMPILE), cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    LOCK.write_text(lock, encoding="utf-8")
    ENVIRONMENT.write_text(environment(lock), encoding="utf-8")


if __name__ == "__main__":
    main()
