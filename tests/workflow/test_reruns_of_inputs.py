"""What lies beside the code is an input too: another package version or contract profile reruns what depends on it."""

from __future__ import annotations

import hashlib
import json

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


def protocol(*texts: str) -> str:
    """Return a protocol that was fixed as the first text, with every change since listed."""
    first, *changed = (hashlib.sha256(text.encode()).hexdigest() for text in texts)
    return f"{texts[-1]}\n## Deviations\n\nFixed with sha256 `{first}`.\n" + "".join(
        f"\n- `{sha256}`: other words.\n" for sha256 in changed
    )


def test_a_change_of_a_protocol_that_is_listed_observes_nothing_again(tree: Tree) -> None:
    path = tree.path / "paper/protocols/numbers.md"
    path.write_text(protocol("Nine numbers.\n"))
    assert ran(tree)["numbers/observe.by_sign"] == {"restored"}
    path.write_text(protocol("Nine numbers.\n", "Nine numbers, flipped.\n"))
    again = ran(tree)
    assert {job for job, how in again.items() if how == {MADE}} == {"numbers/cases"}
    assert again["numbers/observe.by_sign"] == {"restored"}
    listed = json.loads(tree.results()["numbers/manifest.json"])["protocol"]
    assert [deviation["says"] for deviation in listed["deviations"]] == ["other words."]


def test_a_change_of_a_protocol_that_is_not_listed_stops_its_study(tree: Tree) -> None:
    path = tree.path / "paper/protocols/numbers.md"
    path.write_text(protocol("Nine numbers.\n").replace("Nine", "Ten"))
    process = tree.start()
    said, _ = process.communicate()
    assert process.returncode == 1
    assert "paper/protocols/numbers.md: the text above ## Deviations was fixed with sha256 " in said
