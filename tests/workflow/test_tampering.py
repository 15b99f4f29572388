"""Whatever is changed by hand is found by ``verify``, and made again by the next run; touched times are neither."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mateprobe.pipeline import evidence
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.chain import Disk
from mateprobe.pipeline.golden import INDEX, golden_path
from mateprobe.pipeline.verify import Project, differences, load_project
from tests.unit.test_evidence import TREE, pack_tree, pinned, write_pins
from tests.workflow.project import Tree

FLIPS = 1000
UNSEEN = ("results/logs/", "results/benchmarks/", "results/.running")


@pytest.fixture(scope="module")
def frozen(trees: tuple[Tree, Tree], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A folder in which all has run and is frozen, with evidence in it; who changes it puts it back."""
    tree = trees[0].copy(tmp_path_factory.mktemp("tampering") / "tree")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tree.path)
        patch.delenv("MATEPROBE_CACHE", raising=False)
        archive = pack_tree(TREE)
        Path("demo-1.0.tar.gz").write_bytes(archive)
        shutil.rmtree("studies/_frozen")
        answers = Path("studies/_frozen/numbers/answers.jsonl")
        answers.parent.mkdir(parents=True)
        answers.write_text("{}\n")
        patch.setenv("MATEPROBE_ARCHIVES", ".")
        pins = write_pins(Path("studies/_frozen/demo.yaml"), pinned(archive))
        with pins.open("a") as stream:
            stream.write("folder: demo\n")
        evidence.collect(pins, Path("results/evidence/demo"), Path("results/evidence/demo/receipt.json"))
        assert main(["freeze"]) == 0
        yield load_project()


def files() -> list[Path]:
    """Return what is to be guarded: everything below results/ and studies/_frozen/ but logs and times."""
    found = [path for top in ("results", "studies/_frozen") for path in Path(top).rglob("*") if path.is_file()]
    return sorted(path for path in found if not path.as_posix().startswith(UNSEEN))


def told(project: Project) -> list[str]:
    return [difference.told for difference in differences(project, Disk())]


def is_found(project: Project, path: Path) -> bool:
    """Tell whether a file is named; or anything, if it is the index of lists."""
    lines = told(project)
    return any(line.startswith((f"{path}:", f"{path}, line ")) or path == golden_path(INDEX) for line in lines)


class Kept:
    """Puts files back as they were, their times too."""

    def __init__(self, *paths: Path) -> None:
        self.before = {path: (path.read_bytes(), path.stat()) for path in paths}

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        for path, (data, stat) in self.before.items():
            path.write_bytes(data)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def put(path: Path, data: bytes) -> None:
    """Change the bytes of a file under its old time."""
    stat = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_what_was_made_and_not_touched_has_no_difference(frozen: Project) -> None:
    assert told(frozen) == []


def test_every_flipped_byte_is_found(frozen: Project) -> None:
    draw = random.Random(1729)
    guarded = [path for path in files() if path.stat().st_size]
    kinds = {path.parent.as_posix() for path in guarded}
    assert {"results/evidence/demo/data", "results/numbers/receipts", "results/tables", "studies/_frozen"} <= kinds
    missed = []
    for _ in range(FLIPS):
        path = draw.choice(guarded)
        with Kept(path):
            data = bytearray(path.read_bytes())
            place, change = draw.randrange(len(data)), draw.randrange(1, 256)
            data[place] ^= change
            put(path, bytes(data))
            if not is_found(frozen, path):
                missed.append((path, place, change))
    assert missed == []
    assert told(frozen) == []


def cut(path: Path) -> None:
    put(path, path.read_bytes()[:-1])


def emptied(path: Path) -> None:
    put(path, b"")


def grown(path: Path) -> None:
    put(path, path.read_bytes() + b"\n")


@pytest.mark.parametrize("change", [Path.unlink, cut, emptied, grown], ids=["deleted", "cut", "emptied", "grown"])
def test_every_file_that_is_no_longer_whole_is_found(frozen: Project, change: Callable[[Path], None]) -> None:
    missed = []
    for path in files():
        with Kept(path):
            change(path)
            if not is_found(frozen, path):
                missed.append(path)
    assert missed == []


def test_every_file_that_was_added_is_found(frozen: Project) -> None:
    missed = []
    for folder in sorted({path.parent for path in files()}):
        path = folder / "added.json"
        path.write_text("{}\n")
        if not is_found(frozen, path):
            missed.append(path)
        path.unlink()
    assert missed == []


def test_files_that_changed_places_are_found(frozen: Project) -> None:
    draw, missed = random.Random(1729), []
    for _ in range(100):
        one, other = draw.sample(files(), 2)
        with Kept(one, other):
            first, second = one.read_bytes(), other.read_bytes()
            put(one, second)
            put(other, first)
            if first != second and not (is_found(frozen, one) or is_found(frozen, other)):
                missed.append((one, other))
    assert missed == []


def test_touched_times_are_no_difference(frozen: Project) -> None:
    guarded = files()
    with Kept(*guarded):
        for number, path in enumerate(guarded):
            os.utime(path, (number, number))
        assert told(frozen) == []


def test_what_is_not_looked_at_is_what_the_page_says(frozen: Project) -> None:
    for path in (
        "results/logs/numbers/cases.log",
        "results/benchmarks/numbers/cases.tsv",
        "results/numbers/.partial-x",
    ):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("added or changed")
    assert told(frozen) == []
    Path("results/numbers/.partial-x").unlink()


def test_what_was_made_anew_with_its_receipts_is_found_by_golden_hashes(frozen: Project) -> None:
    code = Path("studies/_code/numbers_code.py")
    with Kept(code, *files()):
        code.write_bytes(code.read_bytes().replace(b"range(seed, seed + 9)", b"range(seed, seed + 8)"))
        assert main(["reproduce"]) == 0
        lines = told(frozen)
        changed = {line.partition(":")[0] for line in lines}
        assert {
            "results/numbers/cases.jsonl",
            "results/numbers/summary.json",
            "results/tables/feasibility.md",
        } <= changed
        assert "\n    line 1: expected …" in next(line for line in lines if "numbers/summary.json: changed" in line)
        assert main(["verify"]) == 1
        assert main(["freeze", "--dry-run"]) == 0
        assert told(frozen) == lines
        assert main(["freeze"]) == 0
        assert told(frozen) == []


def test_the_next_run_makes_again_what_was_changed_under_its_old_time_or_removed(
    frozen: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    guarded = [path for path in files() if path.parts[0] == "results"]
    before = {path: path.read_bytes() for path in guarded}
    flipped = [Path("results/numbers") / name for name in ("cases.jsonl", "summary.json", "receipts/statistics.json")]
    removed = [Path("results/scenes/summary.json"), Path("results/tables/feasibility.md")]
    with Kept(*files()):
        for path in flipped:
            put(path, path.read_bytes().replace(b"numbers", b"Numbers"))
        for path in removed:
            path.unlink()
        assert main(["reproduce"]) == 0
        assert {path: path.read_bytes() for path in guarded} == before
        assert " jobs ran; " in capsys.readouterr().out
        assert main(["reproduce"]) == 0
        assert "nothing to do" in capsys.readouterr().out
