"""The page on the built-in rules, made of their docstrings and examples."""

import inspect
import json
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from mateprobe.canonical import field_names, plain
from mateprobe.engine import Rule, evaluate
from mateprobe.model import Context, Document, Kind, Surface
from mateprobe.pipeline.corpora.built_in_rules import BEYOND, cases
from mateprobe.pipeline.yaml_file import read_yaml
from mateprobe.reports.markdown import own
from mateprobe.rule_examples import RULE_EXAMPLES, RuleExample, RuleExamples

WIDTH = 120

HEAD = """\
# Rules

A rule judges a document, the texts of one output, in a context that the application supplies. Invariants compare
supplied facts, exactly. Heuristics look at words and never judge meaning. Of each rule, three examples: a fault that it
detects, a fault that it lets pass, and an edit that does no harm. What survives is no defect but the end of what the
rule promises; `mateprobe audit` with cases of your own says whether that is enough for you. This page is made by
`python -m tools.pages`.

A finding is named `RULE/CODE@SCOPE`, the rule by the id that you gave it. A code names what was checked, whatever came
out.

Two studies of this repository audit every rule with edits of the [operators](operators.md) and of its own, in English,
Russian, Arabic, Chinese and Hindi. `rule_guarantees` asks for what a rule promises; its gate lets no fault pass and no
control be rejected. `rule_limits` holds what no rule promises: paraphrase, denial, quotation, other spellings, prose
that nobody declared. What survives there stands below, and with its figures in `results/tables/limits.md` after
`make reproduce`. The sentences of these studies were not reviewed by native speakers.

What depends on the script: words are runs of letters. Where a script puts no spaces between words, as Chinese does, a
word is a clause. Signs for vowels are no letters, so they cut a word of Hindi into several, and words that differ in
them alone are the same to `NoRepeatedText`. Patterns of `SettledPremise` and, unless told otherwise, of
`ForbiddenPattern` meet texts without accents: one that is spelled with them, as with the Russian й, meets nothing.

"""
OF_A_SCRIPT = {"vowel_signs", "signs", "kept.twin"}
"""Edits that English has none of."""

PROFILE = read_yaml(Path(__file__).parents[1] / "studies" / "_profiles" / "built_in_rules.yaml").content


def rules() -> str:
    """Returns the page."""
    rows = (
        f"| [`{rule.__name__}`](#{rule.__name__.lower()}) | {rule.kind} | {_promise(rule)} |\n"
        for rule in RULE_EXAMPLES
    )
    table = "".join(["| rule | kind | what it says of a document |\n|---|---|---|\n", *rows])
    return HEAD + table + "".join(_section(rule, examples) for rule, examples in RULE_EXAMPLES.items())


def _promise(rule: type[Rule]) -> str:
    return own(inspect.cleandoc(rule.__doc__ or "").partition("\n\n")[0])


def _section(rule: type[Rule], examples: RuleExamples) -> str:
    prose = inspect.cleandoc(rule.__doc__ or "").partition("\nExamples:")[0].partition("\nRaises:")[0].strip()
    kind = "An exact invariant." if rule.kind is Kind.INVARIANT else "A heuristic."
    roles = (("detected", examples.detected), ("survives", examples.surviving), ("no harm", examples.control))
    rows = "".join(f"| {role} | {_cells(examples.rule, example)} |\n" for role, example in roles)
    beyond = "".join(f"- {line}\n" for line in _beyond(rule))
    return (
        f"\n## {rule.__name__}\n\n{kind} {prose.replace('``', '`')}\n\n```python\n{_call(examples.rule)}\n```\n\n"
        f"| | texts | context | finding | why |\n|---|---|---|---|---|\n{rows}"
        f"\nBeyond its promise, in `rule_limits`:\n\n{beyond}"
    )


def _beyond(rule: type[Rule]) -> Iterator[str]:
    """Yields a line for each edit of the study `rule_limits` that is about a rule, with what it changed."""
    (rule_id,) = (each["rule_id"] for each in PROFILE["contracts"] if each["type"] == rule.__name__)
    for row in cases(seed=0, variations=1, promised=False):
        language, about, edit = row["family"].split("/")
        if about == rule_id and (language == "en" or edit in OF_A_SCRIPT):
            states = row["provenance"].removeprefix(BEYOND).strip(" .")
            fate = "rejected, though right" if not row["expected"] else "survives"
            yield f"{fate}: {states} ({', '.join(_changed(row['baseline'], row['variant']))})"


def _changed(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Yields what differs between two samples: the name of the place and what stands there now."""
    if isinstance(after, dict) and isinstance(before, dict):
        for key, value in after.items():
            yield from _changed(before.get(key), value, f"{where}.{key}" if where and where != "states" else key)
    elif isinstance(after, list) and after and isinstance(after[0], dict) and "text" in after[0]:
        for old, new in zip(before, after, strict=True):
            if old["text"] != new["text"]:
                yield f"{new['id']}: {own(new['text'])}"
    elif before != after:
        yield f"{where}: {own(str(after))}"


def _call(value: object) -> str:
    """Returns a rule as one would write it, on one line or, if that is too long, with a setting a line."""
    settings = [f"{name}={_literal(getattr(value, name))}" for name in field_names(type(value))]
    line = f"{type(value).__name__}({', '.join(settings)})"
    inner = "".join(f"    {setting},\n" for setting in settings)
    return line if len(line) <= WIDTH else f"{type(value).__name__}(\n{inner})"


def _literal(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' * (len(value) == 1)})"
    return _call(value) if is_dataclass(value) else repr(value)


def _cells(rule: Rule, example: RuleExample) -> str:
    (check,) = evaluate(example.document, example.context, [rule]).checks
    finding = f"`{check.rule_id}/{check.code}@{check.scope}` {check.status}"
    return " | ".join([_document(example.document), _context(example.context), own(finding), own(example.why)])


def _document(document: Document) -> str:
    return "<br>".join(_surface(surface) for surface in document.surfaces)


def _surface(surface: Surface) -> str:
    claims = "".join(f", claims `{own(f'{claim.key}={claim.value}')}`" for claim in surface.claims)
    return f"{surface.id}: {own(surface.text)}{claims}"


def _context(context: Context) -> str:
    facts = [f"{name} `{own(_facts(state))}`" for name, state in plain(context.states).items()]
    closed = [f"closed `{premise}`" for premise in context.closed_premises]
    return "<br>".join([*facts, *closed, *(f"history: {own(text)}" for text in context.history)])


def _facts(state: Any) -> str:
    return ", ".join(f"{key}={value}" for key, value in state.items())
