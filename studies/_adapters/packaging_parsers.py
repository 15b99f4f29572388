"""packaging: whether one of its parsers takes a text."""

from packaging import licenses, requirements, utils, version

PARSERS = {
    "Version": (version.Version, version.InvalidVersion),
    "Requirement": (requirements.Requirement, requirements.InvalidRequirement),
    "parse_wheel_filename": (utils.parse_wheel_filename, utils.InvalidWheelFilename),
    "canonicalize_license_expression": (licenses.canonicalize_license_expression, licenses.InvalidLicenseExpression),
}


def parsed(sample):
    """Return ``EXCEPTION@$`` if the parser refuses the text."""
    parse, refusal = PARSERS[sample["parser"]]
    try:
        parse(sample["text"])
    except refusal as error:
        return [f"{type(error).__name__}@$"]
    return []


def normalized(sample):
    """Return ``invalid@$`` if the text is said to be no normalized name."""
    return [] if utils.is_normalized_name(sample["text"]) else ["invalid@$"]
