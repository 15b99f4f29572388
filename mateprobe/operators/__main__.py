"""``python -m mateprobe.operators``: the operators and their examples as a page in Markdown."""

from __future__ import annotations

import json
import sys
from typing import Any

from mateprobe.operators import OPERATORS, Example, Operator
from mateprobe.reports.markdown import cell, own

SHOWN = 48
"""Characters of a value that the page shows."""

HEAD = """\
# Operators

An operator edits one place of a JSON sample. A study lists operators and says of each whether its edits are faults or
controls; the operator claims neither. This page is made by `python -m mateprobe.operators`.

## In a study

```yaml
cases:
  seed: 1
  baselines: studies/_baselines/orders.jsonl  # a line each: {"id": "order-1", "sample": {…}, "group": "orders"}
  schema: studies/_baselines/order.schema.json  # not needed; ids, bounds and untested constraints are read off it
  operators:
    - {use: drop_key, as: fault, expected: schema, obligation: keys, validity: valid, provenance: "By construction."}
    - {use: off_by_one, as: fault, at: "$.items[*].count", expected: ["total@{parent}"], obligation: totals}
    - {use: [nfd, white_space], as: control, at: "$.note", obligation: texts}
```

| of an operator | meaning |
|---|---|
| `use` | its name, or several applied in turn to one place |
| `at` | the places to edit: one pattern or several; all places if there is none |
| `as` | what each edit is: `fault` or `control`. The study says so; the operator does not |
| `expected` | the ids a fault must raise; `{path}`, `{parent}`, `{key}` are of the edited place; or `schema` |
| `obligation` | the obligation its cases test |
| `validity`, `provenance` | whether the labels count, and who or what established them; unreviewed ones do not count |
| `name`, `limit` | the family of its cases; at most so many edits a baseline |

`expected: schema` stands for the ids `KEYWORD@/json/pointer` of all constraints that an edit certainly breaks; an edit
that breaks none then makes no case. With a schema an edit that certainly breaks it is no control, and each constraint
that no valid fault breaks becomes a sample without a pair: an untested obligation. Several schemas have a name each
(`schema: {order: …}`); a baseline then names its own, and validators are given `{"schema": NAME, "instance": SAMPLE}`.
A validator `schema: FILE` reports `KEYWORD@/json/pointer`. Chance comes from seed, operator, version, id of the
baseline and place: nothing added changes another case.

## All operators

Of each, three edits: a fault that the schema beside it detects, a fault that the schema lets pass, and an edit that
does no harm.

| operator | version | what an edit does |
|---|---|---|
"""


def main() -> None:
    """Write the page to standard output."""
    sys.stdout.write(page())


def page() -> str:
    """Return the page."""
    rows = (f"| `{name}` | {it.version} | {cell(it.states)} |\n" for name, it in OPERATORS.items())
    return HEAD + "".join(rows) + "".join(map(_section, OPERATORS.values()))


def _section(operator: Operator) -> str:
    if operator.examples is None:
        return ""
    examples = operator.examples
    roles = (("detected", examples.detected), ("survives", examples.surviving), ("no harm", examples.control))
    rows = "".join(f"| {role} | {_cells(example)} |\n" for role, example in roles)
    return f"\n### {operator.name}\n\n| | before | after | schema | why |\n|---|---|---|---|---|\n{rows}"


def _cells(example: Example) -> str:
    return " | ".join([*map(_shown, (example.before, example.after, example.schema)), cell(example.why)])


def _shown(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)  # in ASCII: what looks alike is told apart
    cut = text if len(text) <= 2 * SHOWN else f"{text[:SHOWN]}…"
    return f"`{own(cut)}`"


if __name__ == "__main__":
    main()
