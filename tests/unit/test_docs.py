"""The pages of the documentation: made of what they speak of, leading somewhere, and true where they can be run."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

import mateprobe
from mateprobe import Outcome, relations, rules
from mateprobe.classify import classify
from mateprobe.engine import Rule, evaluate
from mateprobe.rule_examples import RULE_EXAMPLES
from mateprobe.rules import BUILT_IN_RULES
from mateprobe.serialization import load_bundle
from tests.pages import ROOT, assert_as_shown, blocks, printed, promised_names
from tests.property.test_decision_table import PRODUCT
from tools.page_of_outcomes import decisions
from tools.pages import PAGES

DOCS = ROOT / "docs"
WRITTEN = sorted(path.name for path in DOCS.glob("*.md"))
LINKED = ["README.md", "CONTRIBUTING.md", *(f"docs/{name}" for name in WRITTEN)]
ROLES = {"detected": "violated", "surviving": "satisfied", "control": "satisfied"}


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def prose(name: str) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", text(name), flags=re.MULTILINE | re.DOTALL)


def column(page: str, head: str) -> list[str]:
    """Return the names in backticks in the first column of the tables whose first heading is ``head``."""
    rows = [table.partition("\n\n")[0] for table in page.split(f"\n| {head} |")[1:]]
    return re.findall(r"^\| `([\w.$]+)`", "\n".join(rows), flags=re.MULTILINE)


# --- made of code -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_is_made_is_as_it_is_made(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == PAGES[name]()


def test_the_page_on_outcomes_leaves_no_decision_out() -> None:
    assert decisions() == {classify(facts) for facts in PRODUCT}


def test_every_rule_has_examples() -> None:
    assert RULE_EXAMPLES.keys() == {*BUILT_IN_RULES, relations.CompareFields, relations.AllowedTransition}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("rule", RULE_EXAMPLES, ids=lambda rule: rule.__name__)
def test_an_example_of_a_rule_ends_as_its_role_says(rule: type[Rule], role: str) -> None:
    examples = RULE_EXAMPLES[rule]
    example = getattr(examples, role)
    assert [check.status for check in evaluate(example.document, example.context, [examples.rule]).checks] == [
        ROLES[role]
    ]


def test_the_rules_are_shown_as_one_would_write_them() -> None:
    shown = [block.text.strip() for block in blocks(text("docs/rules.md")) if block.language == "python"]
    names = {**vars(rules), **vars(relations)}
    assert [eval(call, names) for call in shown] == [it.rule for it in RULE_EXAMPLES.values()]  # noqa: S307


# --- links ------------------------------------------------------------------------------------------------------


def anchors(page: str) -> set[str]:
    """Return what can be linked to on a page: its headings, named as the site names them."""
    heads = re.findall(r"^#+ (.*)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", head).strip().lower()) for head in heads}


@pytest.mark.parametrize("name", LINKED)
def test_links_lead_somewhere(name: str) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(name))
    lost = []
    for target in targets:
        file, _, anchor = target.partition("#")
        if re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", target):
            continue
        path = (ROOT / name).parent / file if file else ROOT / name
        if not path.is_file() or (anchor and anchor not in anchors(str(path.resolve().relative_to(ROOT)))):
            lost.append(target)
    assert lost == []


def test_the_site_has_every_page_once() -> None:
    site = yaml.safe_load(text("mkdocs.yml"))
    first, *sections = site["nav"]
    listed = [first, *(page for section in sections for pages in section.values() for page in pages)]
    assert (sorted(listed), site["strict"]) == (WRITTEN, True)


# --- what can be run --------------------------------------------------------------------------------------------

# The pages with blocks of code, and the languages of those that are tested here or in a test of the page's own.
TESTED = {
    "ci.md": {"yaml"},
    "first-study.md": {"console", "csv", "python", "toml", "yaml"},
    "operators.md": {"yaml"},
    "pytest.md": {"console", "json", "python", "toml"},
    "reports.md": {"console", "json", "python", "toml", "yaml"},
    "reproduction.md": {"console", "sh"},
    "rules.md": {"python"},
    "verify.md": {"yaml"},
}


def test_every_block_of_the_pages_is_of_a_kind_that_is_tested() -> None:
    found = {name: {block.language for block in blocks(text(f"docs/{name}"))} for name in WRITTEN}
    assert {name: languages for name, languages in found.items() if languages} == TESTED


@pytest.mark.parametrize("name", ["docs/reproduction.md", "CONTRIBUTING.md"])
def test_each_command_is_a_target_of_the_makefile(name: str) -> None:
    lines = [line for block in blocks(text(name)) if block.language == "sh" for line in block.text.splitlines()]
    commands = [line.split()[:2] for line in lines]
    assert commands
    assert [target for make, target in commands if make != "make" or f"\n{target}:" not in text("Makefile")] == []


def test_the_console_of_the_page_on_reproduction_prints_what_it_shows(tmp_path: Path) -> None:
    (console,) = [block.text for block in blocks(text("docs/reproduction.md")) if block.language == "console"]
    assert_as_shown(console, tmp_path)


def verify_blocks() -> list[Any]:
    return [yaml.safe_load(block.text) for block in blocks(text("docs/verify.md"))]


def test_the_page_on_verifying_names_a_hook_and_a_workflow_that_there_are() -> None:
    commit, github = verify_blocks()
    hooks = {hook["id"] for hook in yaml.safe_load(text(".pre-commit-hooks.yaml"))}
    assert {hook["id"] for repo in commit["repos"] for hook in repo["hooks"]} <= hooks
    job = github["jobs"]["verify"]
    workflow = yaml.safe_load(text(job["uses"].partition("@")[0].split("/", 2)[2]))
    assert set(job["with"]) <= set(workflow[True]["workflow_call"]["inputs"])  # YAML reads `on` as true


WORKFLOW, STEP, GITLAB = (yaml.safe_load(block.text) for block in blocks(text("docs/ci.md")))
ACTION = yaml.safe_load(text("action.yml"))


def test_the_page_on_ci_uses_the_action_with_what_it_takes() -> None:
    (use,) = [step for step in WORKFLOW["jobs"]["audit"]["steps"] if step["uses"].startswith("OWNER/")]
    required = {name for name, entry in ACTION["inputs"].items() if entry.get("required")}
    assert required <= set(use["with"]) <= set(ACTION["inputs"])


def test_the_tables_of_the_page_on_ci_are_those_of_the_action() -> None:
    page = text("docs/ci.md")
    assert (column(page, "input"), column(page, "output")) == (list(ACTION["inputs"]), list(ACTION["outputs"]))


def test_the_job_of_gitlab_is_one_by_its_schema() -> None:
    schema = json.loads(text("tests/schemas/gitlab-ci.json"))
    assert [error.message for error in Draft7Validator(schema).iter_errors(GITLAB)] == []


def example(folder: Path) -> None:
    """Write the audit of the page for newcomers, whose gate is met in the end."""
    for file, _, content in blocks(text("docs/first-study.md")):
        if file:
            (folder / file).write_text(content, "utf-8")


def test_the_job_of_gitlab_writes_what_it_keeps(tmp_path: Path) -> None:
    example(tmp_path)
    install, line = GITLAB["audit"]["script"]
    assert "pip install" in install
    found, status = printed([line, "echo $?"], tmp_path)
    assert (found[:4], status) == ("met:", "0\n")
    kept = GITLAB["audit"]["artifacts"]
    assert {kept["reports"]["junit"], *kept["paths"]} == {
        path.name for path in tmp_path.iterdir() if path.name.startswith("audit.") and path.suffix != ".toml"
    }


def test_the_step_without_the_action_writes_the_summary(tmp_path: Path) -> None:
    example(tmp_path)
    (step,) = STEP
    found, status = printed(["export GITHUB_STEP_SUMMARY=summary.md", step["run"], "echo $?"], tmp_path)[1:]
    assert (found[:4], status) == ("met:", "0\n")
    assert "| too much | amount | detected |" in (tmp_path / "summary.md").read_text("utf-8")


# --- what is spoken of ------------------------------------------------------------------------------------------


def test_the_page_on_concepts_has_every_outcome() -> None:
    assert sorted(column(text("docs/concepts.md"), "outcome")) == sorted(Outcome)


def test_the_reference_has_every_public_name_and_no_other() -> None:
    listed: dict[str, list[str]] = {}
    for module, members in re.findall(r"^::: ([\w.]+)(?:\n    options:\n      members: \[(.*)\])?$",
                                      text("docs/api.md"), flags=re.MULTILINE):  # fmt: skip
        names = members.split(", ") if members else [rule.__name__ for rule in BUILT_IN_RULES]
        listed[module] = names
        assert [name for name in names if not hasattr(import_module(module), name)] == []
    core = {name for module, names in listed.items() if module.count(".") == 1 for name in names}
    constants = {"LIBRARY_VERSION", "__version__", "Scalar"}
    assert {name for name in mateprobe.__all__ if name not in constants} - core == set()
    operators = import_module("mateprobe.operators")
    shown = {name for module, names in listed.items() if ".operators." in module for name in names}
    assert shown == set(operators.__all__) - {"OPERATORS"}


COMPATIBILITY = text("docs/compatibility.md")
TESTS = {
    name: path
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), flags=re.MULTILINE)
}


def test_the_page_on_compatibility_names_tests_that_there_are() -> None:
    assert [name for name in re.findall(r"`(test_\w+)`", COMPATIBILITY) if name not in TESTS] == []


def test_the_page_on_compatibility_names_every_test_against_the_published_package() -> None:
    against = {name for name, path in TESTS.items() if path.parent.name == "differential"}
    assert against - set(re.findall(r"`(test_\w+)`", COMPATIBILITY)) == set()


def test_what_can_be_imported_from_the_published_package_can_be_imported_here() -> None:
    promised = promised_names()
    assert len(promised) == 10
    missing = [
        (module, name)
        for module, names in promised.items()
        for name in names
        if not hasattr(import_module(module), name)
    ]
    assert missing == []
    assert callable(load_bundle)
