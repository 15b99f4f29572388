"""Both engines, to be asked the same."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.differential.peer import environment
from tests.differential.worker import Engine

HERE = Path(__file__).parent

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
