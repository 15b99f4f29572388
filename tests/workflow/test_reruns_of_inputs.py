"""What lies beside the code is an input too: another package version or contract profile reruns what depends on it."""

from __future__ import annotations

from tests.workflow.project import Tree

MADE = "made"


def ran(tree: Tree) -> dict[str, set[str]]:
    """Run the workflow; return how the stages of each job but manifests came by their outputs."""
    return {job: {*how.split()} for job, how in tree.rerun().items() if not job.endswith("/manifest")}


def test_another_package_version_makes_everything_again_and_gives_the_same_bytes(tree: Tree) -> None:
    before = tree.results()
    jobs = {path.relative_to(tree.path / "results/logs") for path in (tree.path / "results/logs").rglob("*.log")}
    tree.edit("requirements.lock", lambda text: f"{text}# Another version.\n")
    again = ran(tree)
    assert {how for hows in again.values() for how in hows} == {MADE}
    assert {f"{job}.log" for job in again} == {
        path.as_posix() for path in jobs if path.stem not in ("manifest", "reproduce")
    }
    assert tree.results() == before
    assert ran(tree) == {}


def test_another_profile_asks_the_validators_again_that_are_made_of_it(tree: Tree) -> None:
    tree.edit("studies/_profiles/narrative.yaml", lambda text: text.replace("minimum: ", "minimum: 1"))
    again = ran(tree)
    observed = {job: how for job, how in again.items() if "/observe." in job}
    assert observed == {"scenes/observe.contracts_strict": {MADE}}
    assert {job for job in again if job.startswith("numbers/")} == set()
