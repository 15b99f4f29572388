"""One thing is changed at a time: what depends on it is made again, nothing else is, and no two versions mix.

All runs share one store, as clones may; by the end it has seen every version.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from multiprocessing.pool import Pool
from pathlib import Path

import pytest

from mateprobe.pipeline.environments import environment_name
from tests.workflow import at_once
from tests.workflow.test_reruns_of_inputs import protocol
from tests.workflow.whole import keep_answers, pack_evidence, whole_project

Change = Callable[[Path], None]
Hashes = dict[str, str]
REPLACED = (".snakemake", "mateprobe", "results")
PAGES = ("numbers", "published", "releases", "replayed", "index")
LOCK = f"studies/_locks/{environment_name(['tiny==1.0'])}.txt"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the project, and what the next run does.

    Attributes:
        change: what is done in the folder of the project.
        made: the jobs that make their outputs again, as patterns of STUDY/STAGE.
        kept: those whose inputs or code are others but come to something that is in the store.
        manifests: the studies with another manifest.
        environments: the jobs that look at an environment again.
        page: the parts of the page that are made again; None if nobody looks at it.
        left: results that no study makes any more.
    """

    change: Change
    made: str = ""
    kept: str = ""
    manifests: str = ""
    environments: str = ""
    page: str | None = None
    left: str = ""

    def expected(self, jobs: dict[str, str]) -> dict[str, str]:
        """Return how the next run comes by its outputs, given the jobs of the first one."""
        manifests = " ".join(f"{study}/manifest" for study in self.manifests.split())
        ways = {"restored": self.kept, "made": self.made, "ran": f"{manifests} {self.environments}"}
        found = {job: how for how, patterns in ways.items() for job in _matching(patterns, jobs)}
        if self.page is not None:
            found |= {f"page/{part}": "made" if part in self.page.split() else "restored" for part in PAGES}
        return found


def _matching(patterns: str, jobs: dict[str, str]) -> Iterator[str]:
    for pattern in patterns.split():
        yield from (job for job in jobs if fnmatchcase(job, pattern)) if "*" in pattern else [pattern]


def replaced(name: str, change: Callable[[str], str]) -> Change:
    """Return the change of a file's text; the file becomes another one, since trees share what is not changed."""

    def of(folder: Path) -> None:
        path = folder / name
        before = path.read_text("utf-8")
        path.unlink()
        path.write_text(change(before), "utf-8")
        assert path.read_text("utf-8") != before

    return of


def other(name: str, old: str, new: str) -> Change:
    return replaced(name, lambda text: text.replace(old, new))


def remark(name: str) -> Change:
    return replaced(name, lambda text: f"{text}\n# Another remark.\n")


def code(name: str) -> Change:
    return remark(f"mateprobe/{name}.py")


ALL = "numbers published releases replayed"
JUDGED = "*/outcomes.* */summary */statistics published/agreement */fixes */gate"
SHOWN = "tables/* figures/* claims paper"
FAMILY = "tables/agreement tables/intervals"  # one job looks at both
OF_NUMBERS = f"{FAMILY} figures/* claims paper"

REMARKS: dict[str, Edit] = {
    "evidence": Edit(
        code("pipeline/evidence"),
        made="evidence/demo",
        kept=f"published/[!m]* {FAMILY} paper",
        manifests="published",
        page="",
    ),
    "cases": Edit(code("pipeline/cases"), "*/cases", f"*/observe.* {JUDGED} {SHOWN}", ALL, page=""),
    "environment": Edit(
        code("pipeline/environment"),
        made="*/observe.*",  # a program is asked in one
        kept=f"{JUDGED} {SHOWN}",
        manifests=ALL,
        environments="environments/*",
        page=" ".join(PAGES),  # and the page reads study files, which name them
    ),
    "observe": Edit(code("pipeline/observe"), "*/observe.*", f"{JUDGED} {SHOWN}", ALL, page=""),
    "outcomes": Edit(code("pipeline/outcomes"), "*/outcomes.*", f"{JUDGED} {SHOWN}", ALL, page=""),
    "summary": Edit(
        code("pipeline/summary"),
        made="*/summary",
        kept=f"published/agreement numbers/gate {FAMILY} tables/replayed claims paper",
        manifests=ALL,
        page="",
    ),
    "statistics": Edit(code("pipeline/statistics"), "*/statistics", f"{FAMILY} figures/* paper", ALL, page=""),
    "agreement": Edit(code("pipeline/agreement"), "published/agreement", f"{FAMILY} paper", "published", page=""),
    "fixes": Edit(
        code("pipeline/fixes"), "*/fixes tables/* figures/*", "paper", "releases", page=" ".join(PAGES)
    ),  # tables show them, and know their words
    "gate": Edit(code("pipeline/gate"), "numbers/gate", manifests="numbers", page=""),
    "manifest": Edit(code("pipeline/manifest"), manifests=ALL),
    "tables": Edit(code("pipeline/tables"), "tables/*", "paper"),
    "figures": Edit(code("pipeline/figures"), "figures/*", "paper", page=""),
    "claims": Edit(code("pipeline/claims"), "claims paper", page=""),
    "paper": Edit(code("pipeline/paper"), "paper"),
    "page": Edit(code("pipeline/page"), page=" ".join(PAGES)),
    "what reads records": Edit(
        code("records"),
        made="*/cases */observe.* */outcomes.* */summary */statistics */fixes published/agreement tables/* figures/*",
        kept="numbers/gate claims paper",
        manifests=ALL,
        page=" ".join(PAGES),
    ),
    "what writes records": Edit(
        code("pipeline/records"),
        made="*/cases */observe.* */outcomes.*",
        kept=f"*/summary */statistics */fixes */gate published/agreement {SHOWN}",
        manifests=ALL,
        page="",
    ),
    "the table of decisions": Edit(
        code("classify"),
        made="*/cases */observe.* */outcomes.* published/agreement",
        kept=f"*/summary */statistics */fixes */gate {SHOWN}",
        manifests=ALL,
        page=" ".join(PAGES),
    ),
    "the code of a study": Edit(
        remark("studies/_code/numbers_code.py"),
        made="numbers/cases numbers/observe.*",
        kept=f"numbers/outcomes.* numbers/summary numbers/statistics numbers/gate {OF_NUMBERS}",
        manifests="numbers",
        page="",
    ),
    "a remark in a profile": Edit(remark("studies/_profiles/other.yaml")),
    "the results are gone": Edit(
        lambda folder: shutil.rmtree(folder / "results"),
        kept=f"evidence/demo */cases */observe.* {JUDGED} {SHOWN}",
        manifests=ALL,
        environments="environments/*",
        page="",
    ),
}
"""Changes that change nothing of what is computed: of the results, receipts and manifests alone may be others."""

VERSIONS: dict[str, Edit] = {
    "a seed": Edit(
        other("studies/numbers.yaml", "seed: 1", "seed: 2"),
        made="numbers/cases numbers/observe.* numbers/outcomes.* numbers/summary numbers/statistics",
        kept=f"numbers/gate {OF_NUMBERS}",  # other numbers, the same counts
        manifests="numbers",
        page="numbers",
    ),
    "a title": Edit(other("studies/numbers.yaml", "flipped", "turned"), page="numbers index"),
    "a comparator": Edit(
        replaced("studies/numbers.yaml", lambda text: f"{text}comparators: [boolean]\n"),
        made="numbers/outcomes.* numbers/summary numbers/statistics numbers/gate claims",
        kept=f"{FAMILY} figures/* paper",
        manifests="numbers",
        page="numbers index",
    ),
    "what a validator says": Edit(
        other("studies/_code/numbers_code.py", '("sign",))', '("sign",), evidence=("seen",))'),
        made="numbers/cases numbers/observe.* numbers/outcomes.*",
        kept=f"numbers/summary numbers/statistics numbers/gate {OF_NUMBERS}",
        manifests="numbers",
        page="",  # what it gives as evidence decides nothing
    ),
    "a number of shards": Edit(
        replaced("studies/numbers.yaml", lambda text: f"{text}shards: 2\n"),
        made="numbers/observe.by_sign.0000 numbers/observe.by_sign.0001 numbers/outcomes.by_sign",
        kept=f"numbers/summary numbers/statistics numbers/gate {OF_NUMBERS}",
        manifests="numbers",
        page="numbers",
        left="numbers/observations/by_sign.jsonl numbers/receipts/observe.by_sign.json",
    ),
    "what a gate asks for": Edit(
        other("studies/numbers.yaml", "validator: by_sign", "validator: by_sign\n  detection: 0.5"),
        made="numbers/gate",
        manifests="numbers",
        page="numbers index",
    ),
    "a profile": Edit(
        other("studies/_profiles/other.yaml", "pending", "sold"),
        made="published/*.other published/summary published/statistics published/agreement",
        kept=f"{FAMILY} paper",
        manifests="published",
        page="published index",
    ),
    "a file of cases": Edit(
        other("studies/_cases/signs.json", "by hand", "by two hands"),
        made="replayed/[!m]*",
        kept="tables/replayed",
        manifests="replayed",
        page="replayed",
    ),
    "an adapter": Edit(
        remark("studies/_adapters/ask.py"),
        made="releases/observe.* releases/outcomes.*",  # observations say what they were made from
        kept="releases/summary releases/statistics releases/fixes tables/historical",
        manifests="releases",
        page="",
    ),
    "the lock of a package": Edit(
        remark(LOCK),
        made="releases/observe.after releases/outcomes.after",
        kept="releases/summary releases/statistics releases/fixes tables/historical",
        manifests="releases",
        environments=f"environments/{Path(LOCK).stem}",
        page="",
    ),
    "a defect": Edit(
        other("studies/_defects/tiny.json", "tiny #1", "tiny #2"),
        made="releases/cases releases/fixes tables/historical",
        kept="releases/[!m]*",
        manifests="releases",
        page="releases",
    ),
    "a frozen answer": Edit(
        lambda folder: keep_answers(folder, "other"),
        made="replayed/observe.script replayed/outcomes.script replayed/summary replayed/statistics tables/replayed",
        manifests="replayed",
        page="replayed index",
    ),
    "a frozen report": Edit(
        lambda folder: pack_evidence(folder, remark="another"),
        made="evidence/demo published/agreement tables/agreement",
        kept="published/[!m]* tables/intervals paper",
        manifests="published",
        page="published index",
    ),
    "a protocol": Edit(
        replaced("paper/protocols/numbers.md", lambda _: protocol("Nothing is claimed.\n", "No more is claimed.\n")),
        made="numbers/cases",
        kept=f"numbers/observe.* numbers/outcomes.* numbers/summary numbers/statistics numbers/gate {OF_NUMBERS}",
        manifests="numbers",
        page="",
    ),
    "no protocol": Edit(
        lambda folder: (folder / "paper/protocols/numbers.md").unlink(),
        made="numbers/cases",
        kept=f"numbers/observe.* numbers/outcomes.* numbers/summary numbers/statistics numbers/gate {OF_NUMBERS}",
        manifests="numbers",
        page="",
    ),
    "a claim": Edit(other("paper/claims.yaml", "says: cases", "says: all cases"), "claims", "paper", page="index"),
    "how the page looks": Edit(
        replaced("mateprobe/pipeline/page_files/page.css", lambda text: f"{text}/* Another remark. */\n"), page="index"
    ),
    "the paper": Edit(other("paper/main.typ", "There are", "Here are"), "paper"),
    "the version of a package we run with": Edit(
        remark("requirements.lock"),
        made=f"evidence/demo */cases */observe.* {JUDGED} {SHOWN}",
        manifests=ALL,
        environments="environments/*",
        page=" ".join(PAGES),
    ),
}
"""Changes of what is computed: the results are those of a run from nothing."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A project in which everything has run: its folder, what runs in it want, the store they share, and what came."""

    folder: Path
    variables: dict[str, str]
    store: Path
    process: Pool
    jobs: dict[str, str]
    results: Hashes

    def copy(self, folder: Path) -> Path:
        """Return a copy of the folder; what only ever is replaced as a whole are links to the same files."""
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns(*REPLACED, "uv"))
        for name in REPLACED:
            shutil.copytree(self.folder / name, folder / name, copy_function=os.link)
        return folder

    def run(self, folder: Path, *stores: Path) -> list[tuple[dict[str, str], Hashes]]:
        return self.process.apply(at_once.run, (folder, self.variables, *stores))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    place = tmp_path_factory.mktemp("every-stage")
    folder, store = place / "first", place / "store"
    variables = whole_project(folder)
    with at_once.process() as process:
        ((jobs, results),) = process.apply(at_once.run, (folder, variables, store))
        process.apply(at_once.remember, (folder, variables))
        yield Whole(folder, variables, store, process, jobs, results)


def artifacts(results: Hashes) -> Hashes:
    """Return the results that do not say which code made them."""
    return {
        name: sha256
        for name, sha256 in results.items()
        if "receipts/" not in name and not name.endswith(("manifest.json", "evidence/receipt.json"))
    }


def test_every_stage_has_something_to_do(whole: Whole) -> None:
    from mateprobe.pipeline.__main__ import STAGES

    run = {part for job in whole.jobs for part in job.replace(".", "/").split("/")}
    by_hand = {"capture", "releases", "lock", "freeze", "verify", "pack", "reproduce", "environment"}
    assert {*STAGES} - by_hand <= run
    assert [job for job in whole.jobs if job.startswith("environments/")] != []


@pytest.mark.parametrize("edit", REMARKS.values(), ids=REMARKS.keys())
def test_a_remark_makes_what_may_depend_on_it_again_and_changes_no_artifact(
    whole: Whole, tmp_path: Path, edit: Edit
) -> None:
    folder = whole.copy(tmp_path / "tree")
    edit.change(folder)
    (ran, results), (again, same) = whole.run(folder, whole.store, whole.store)
    assert ran == edit.expected(whole.jobs)
    assert artifacts(results) == artifacts(whole.results)
    assert "made" not in again.values()  # so nothing was left as it was that the edit concerns
    assert same == results


@pytest.mark.parametrize("edit", VERSIONS.values(), ids=VERSIONS.keys())
def test_another_version_makes_what_depends_on_it_again_and_comes_to_what_a_run_from_nothing_comes_to(
    whole: Whole, tmp_path: Path, edit: Edit
) -> None:
    folder = whole.copy(tmp_path / "tree")
    edit.change(folder)
    (ran, results), (anew, fresh) = whole.run(folder, whole.store, tmp_path / "empty")
    assert ran == edit.expected(whole.jobs)
    assert "restored" not in anew.values()
    left = edit.left.split()
    assert {name: results.pop(name) for name in left} == {name: whole.results[name] for name in left}
    assert results == fresh


def test_going_back_restores_the_first_version_to_the_byte(whole: Whole, tmp_path: Path) -> None:
    folder, study = tmp_path / "tree", "studies/numbers.yaml"
    shutil.copytree(whole.folder, folder, symlinks=True)
    first = (folder / study).read_bytes()
    VERSIONS["a seed"].change(folder)
    whole.run(folder, whole.store)
    whole.process.apply(at_once.remember, (folder, whole.variables))
    (folder / study).write_bytes(first)
    ((ran, results),) = whole.run(folder, whole.store)
    assert ran.keys() == VERSIONS["a seed"].expected(whole.jobs).keys()
    assert {*ran.values()} == {"restored", "ran"}
    assert results == whole.results


def test_without_its_store_a_run_has_nothing_to_do_either(whole: Whole, tmp_path: Path) -> None:
    ((ran, results),) = whole.run(whole.copy(tmp_path / "tree"), tmp_path / "empty")
    assert (ran, results) == ({}, whole.results)
