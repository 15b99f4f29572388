"""The worker speaks the protocol for a function, whatever the function does."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mateprobe import worker

ADAPTER = """
import os, subprocess, sys
from dataclasses import dataclass


@dataclass
class Positive:  # a dataclass looks for its module
    number: int


def ids(sample, *, name="sign"):
    if sample == "print":
        print("hello")
        os.write(1, b"hello\\n")
        subprocess.run(["echo", "hello"])
        return []
    if sample == "read":
        return [f"read {sys.stdin.read()!r}"]
    if sample == "fork":
        os.fork()
        return []
    if sample == "exit":
        sys.exit("gone")
    if sample == "recurse":
        return ids(sample)
    if sample == "unprintable":
        raise Unprintable
    if sample == "nothing":
        return None
    if sample == "mapping":
        return {"accepted": False, "complete": False, "evidence": ["half"]}
    return [] if Positive(sample).number > 0 else [name, name, "a"]


def lazily(sample):
    yield "first"
    raise KeyboardInterrupt


class Unprintable(Exception):
    def __str__(self):
        raise ValueError
"""


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    path = tmp_path / "adapter.py"
    path.write_text(ADAPTER)
    return path


def answers(
    adapter: Path, *samples: Any, function: str = "ids", parameters: str = "{}", python: str = sys.executable
) -> list[dict[str, Any]]:
    lines = "".join(json.dumps({"id": str(n), "sample": sample}) + "\n" for n, sample in enumerate(samples))
    command = [python, "-I", worker.__file__, str(adapter), function, parameters]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer.pop("id") for answer in found] == [str(n) for n in range(len(samples))]
    return found


def verdict(*violations: str) -> dict[str, Any]:
    return {"accepted": not violations, "complete": True, "violations": list(violations), "evidence": []}


def test_nothing_found_is_acceptance_and_ids_are_sorted_once_each(adapter: Path) -> None:
    assert answers(adapter, 1, -1) == [verdict(), verdict("a", "sign")]


def test_parameters_are_arguments_of_the_function(adapter: Path) -> None:
    assert answers(adapter, -1, parameters='{"name": "plus"}') == [verdict("a", "plus")]


def test_a_mapping_says_what_differs(adapter: Path) -> None:
    assert answers(adapter, "mapping") == [{**verdict(), "accepted": False, "complete": False, "evidence": ["half"]}]


def test_what_the_function_prints_is_no_answer(adapter: Path) -> None:
    assert answers(adapter, "print", 1) == [verdict(), verdict()]


def test_the_function_reads_no_samples(adapter: Path) -> None:
    assert answers(adapter, "read", 1) == [verdict("read ''"), verdict()]


def test_a_child_that_returns_answers_nothing(adapter: Path) -> None:
    assert answers(adapter, "fork", 1) == [verdict(), verdict()]


FAILURES = {
    "exit": "SystemExit: gone",
    "recurse": "RecursionError: maximum recursion depth exceeded",
    "unprintable": "Unprintable: (its message could not be read: ValueError)",
    "nothing": "TypeError: 'NoneType' object is not iterable",
}


@pytest.mark.parametrize("sample", FAILURES)
def test_whatever_the_function_raises_is_an_error_of_that_sample(adapter: Path, sample: str) -> None:
    failure, after = answers(adapter, sample, 1)
    assert failure["error"].startswith(FAILURES[sample])
    assert after == verdict()


def test_a_generator_that_breaks_off_is_an_error(adapter: Path) -> None:
    assert answers(adapter, 1, function="lazily") == [{"error": "KeyboardInterrupt: "}]


@pytest.mark.parametrize(
    ("source", "function", "expected"),
    [
        ("import no_such_package", "ids", "ModuleNotFoundError: No module named 'no_such_package'"),
        ("def ids(", "ids", "SyntaxError: "),
        ("raise SystemExit(3)", "ids", "SystemExit: 3"),
        ("", "ids", "AttributeError: module 'adapter' has no attribute 'ids'"),
    ],
    ids=["import", "syntax", "exit", "no such function"],
)
def test_an_adapter_that_does_not_load_is_the_answer_to_every_sample(
    adapter: Path, source: str, function: str, expected: str
) -> None:
    adapter.write_text(source)
    found = answers(adapter, 1, 2, function=function)
    assert [answer["error"].startswith(f"cannot load the adapter: {expected}") for answer in found] == [True, True]


def test_no_compiled_file_is_left_beside_the_adapter(adapter: Path) -> None:
    answers(adapter, 1)
    assert [path.name for path in adapter.parent.iterdir()] == ["adapter.py"]


def test_a_long_message_is_cut(adapter: Path) -> None:
    adapter.write_text("def ids(sample): raise ValueError('x' * 10_000)")
    assert answers(adapter, 1) == [{"error": f"ValueError: {'x' * worker.TEXT_LIMIT}"}]


def test_it_is_python_3_7_and_the_standard_library_alone() -> None:
    tree = ast.parse(Path(worker.__file__).read_text(), feature_version=(3, 7))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {str(module).partition(".")[0] for module in modules} <= {*sys.stdlib_module_names}


@pytest.mark.parametrize("version", ["3.7", "3.8", "3.9", "3.10", "3.12", "3.13"])
def test_it_runs_under_other_pythons(adapter: Path, version: str) -> None:
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode:
        pytest.skip(f"no Python {version} here")
    assert answers(adapter, 1, -1, python=python) == [verdict(), verdict("a", "sign")]
