"""packaging: whether one of its parsers takes a text. Older releases have fewer of them."""

from importlib import import_module

PARSERS = {
    "Version": ("version", "Version", "InvalidVersion"),
    "Requirement": ("requirements", "Requirement", "InvalidRequirement"),
    "parse_wheel_filename": ("utils", "parse_wheel_filename", "InvalidWheelFilename"),
    "canonicalize_license_expression": ("licenses", "canonicalize_license_expression", "InvalidLicenseExpression"),
}


def parsed(sample):
    """Return ``EXCEPTION@$`` if the parser refuses the text."""
    module, parser, refusal = PARSERS[sample["parser"]]
    module = import_module(f"packaging.{module}")
    try:
        getattr(module, parser)(sample["text"])
    except getattr(module, refusal) as error:
        return [f"{type(error).__name__}@$"]
    return []


def normalized(sample):
    """Return ``invalid@$`` if the text is said to be no normalized name."""
    utils = import_module("packaging.utils")
    return [] if utils.is_normalized_name(sample["text"]) else ["invalid@$"]
