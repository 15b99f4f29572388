"""Cerberus: the rule and place of every error in a document."""

import cerberus


def errors(sample):
    """Yield ``RULE@PLACE`` for every error."""
    for name, rules in sample.get("rules_sets", {}).items():
        cerberus.rules_set_registry.add(name, rules)
    validator = cerberus.Validator(sample["schema"])
    if not validator.validate(sample["document"]):
        for error in validator._errors:  # noqa: SLF001 - the public errors are texts, without their rule
            yield f"{error.rule}@/{'/'.join(map(str, error.document_path))}"
