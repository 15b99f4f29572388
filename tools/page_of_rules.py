"""The page on the built-in rules, made of their docstrings and examples."""

import inspect
import json
from dataclasses import is_dataclass
from typing import Any

from mateprobe.canonical import field_names, plain
from mateprobe.engine import Rule, evaluate
from mateprobe.model import Context, Document, Kind, Surface
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

"""


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
    return (
        f"\n## {rule.__name__}\n\n{kind} {prose.replace('``', '`')}\n\n```python\n{_call(examples.rule)}\n```\n\n"
        f"| | texts | context | finding | why |\n|---|---|---|---|---|\n{rows}"
    )


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
