"""The peer: the published engine, in an environment of its own that is made once and kept."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from mateprobe.pipeline.store import Store
from tests.differential.worker import Engine

HERE = Path(__file__).parent
LOCK = HERE / "peer.lock"

Ask = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="session")
def peer(pytestconfig: pytest.Config) -> Iterator[Ask]:
    """Ask the published engine, in its own process."""
    command = [str(environment(pytestconfig.rootpath)), "-I", str(HERE / "worker.py"), "narrative_contracts"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="ascii") as process:
        requests, answers = process.stdin, process.stdout
        assert requests
        assert answers

        def ask(request: dict[str, Any]) -> dict[str, Any]:
            requests.write(json.dumps(request) + "\n")
            requests.flush()
            answer: dict[str, Any] = json.loads(answers.readline())
            return answer

        yield ask
        requests.close()


@pytest.fixture(scope="session")
def ours() -> Ask:
    """Ask our engine, in this process, through the same JSON."""
    engine = Engine("mateprobe")

    def ask(request: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(json.dumps(engine.ask(json.loads(json.dumps(request)))))
        return answer

    return ask


def environment(root: Path) -> Path:
    """Return the Python of the peer's environment, which the user's own pip fills if it is not there yet."""
    made_from = LOCK.read_bytes() + sys.version.encode() + sys.base_prefix.encode()
    place = root / Store().root / f"peer-{hashlib.sha256(made_from).hexdigest()[:16]}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=place.parent, prefix=".peer-") as folder:
            made = Path(folder, "environment")
            venv.create(made, symlinks=True)
            _install(made / "bin" / "python")
            _publish(made, place)
    return place / "bin" / "python"


def _publish(made: Path, place: Path) -> None:
    try:
        made.rename(place)
    except OSError:
        if not place.is_dir():  # else another process was faster, with the same
            raise


def _install(python: Path) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-input"]
    done = subprocess.run(
        [*command, "--no-deps", "--require-hashes", "--only-binary=:all:", "-r", str(LOCK)],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.fail(f"{LOCK.name}: pip could not install the peer:\n{done.stdout}{done.stderr}", pytrace=False)
