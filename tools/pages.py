"""Renews the pages of `docs/` that are made of code: `python -m tools.pages`, or `make pages`.

Rules and operators come from their examples, keys of files from their JSON Schemas, the outcomes of cases from the
decision table itself. A test holds the pages against what is made here.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from mateprobe.operators.__main__ import page as operators
from tools.page_of_outcomes import outcomes
from tools.page_of_rules import rules
from tools.page_of_schema import schema_page

DOCS = Path(__file__).resolve().parent.parent / "docs"

PAGES: Mapping[str, Callable[[], str]] = {
    "operators.md": operators,
    "rules.md": rules,
    "outcomes.md": outcomes,
    "study-keys.md": lambda: schema_page("study"),
    "audit-keys.md": lambda: schema_page("audit"),
}
"""What makes a page, by its name."""


def main() -> None:
    """Writes the pages."""
    for name, made in PAGES.items():
        (DOCS / name).write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    main()
