"""Run uv, which resolves and installs packages, with the index that the user's own configuration names.

uv reads its own configuration. Who has configured pip alone gets that index: it is handed over in the
environment of the call and never shown or written, since it may hold a password.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

SECONDS = 600
_FOREIGN = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME")
_AWAY = (
    "error sending request",
    "failed to fetch",
    "network was disabled",
    "request failed",
    "timed out",
)


@dataclass(frozen=True, slots=True)
class Ran:
    """How a call of uv ended: whether well, and what it said."""

    well: bool
    said: str

    @property
    def away(self) -> bool:
        """It failed for want of the network, not for what it was asked for."""
        return not self.well and any(sign in self.said.lower() for sign in _AWAY)


def uv(*arguments: str, quiet: bool = True) -> Ran:
    """Run uv with these arguments; unless it is to be quiet it also says what it warns of."""
    variables = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    variables |= {"UV_LINK_MODE": "copy", "UV_PYTHON_DOWNLOADS": "never", "NO_COLOR": "1", **_index()}
    variables.setdefault("UV_HTTP_RETRIES", "1")  # where there is no network, a dozen environments each find out
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "uv", *["--quiet"] * quiet, *arguments],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            env=variables,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return Ran(well=False, said=f"uv timed out after {SECONDS} s")
    return Ran(done.returncode == 0, " ".join(done.stdout.split()))  # uv breaks lines by the width of a terminal


@cache
def _index() -> Mapping[str, str]:
    """Return the variables that tell uv of pip's index and certificates, where uv has none of its own."""
    if os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("UV_INDEX_URL"):
        return {}
    command = [sys.executable, "-P", "-m", "pip", "config", "list"]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", errors="replace")
    return from_pip(done.stdout if done.returncode == 0 else "")


def from_pip(configuration: str) -> dict[str, str]:
    """Return uv's variables for what ``pip config list`` printed.

    Of several places that name an index the environment wins, then the section of the command.
    """
    settings = {}
    for line in configuration.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.strip().rpartition(".")
        settings[section, name] = value
    found = {}
    for variable, name in (("UV_DEFAULT_INDEX", "index-url"), ("SSL_CERT_FILE", "cert")):
        values = [settings[section, name] for section in (":env:", "install", "global") if (section, name) in settings]
        if values and not os.environ.get(variable):
            found[variable] = str(ast.literal_eval(values[0]))  # pip prints a Python string literal
    return found
