"""Forms of a report. Each is a projection: the report's own data is the evidence."""

from pathlib import PurePath

FORMS = ("json", "jsonl", "markdown", "junit", "sarif", "ctrf")
"""What a report can be written as, see ``forms``; the first two can be read back."""

_ENDINGS = {".jsonl": "jsonl", ".md": "markdown", ".xml": "junit", ".sarif": "sarif"}


def form_of(name: str) -> str:
    """Return the form that the name of a file asks for: JSON unless its ending says otherwise.

    Examples:
        >>> [form_of(name) for name in ("report.jsonl", "audit.xml", "report")]
        ['jsonl', 'junit', 'json']
    """
    return _ENDINGS.get(PurePath(name).suffix, "json")
