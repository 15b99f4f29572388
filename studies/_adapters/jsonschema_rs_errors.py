"""jsonschema-rs: the keyword and place of every error, if its two answers agree."""

import jsonschema_rs


def errors(sample):
    """Return ``KEYWORD@PLACE`` for every error.

    Raises:
        AssertionError: is_valid and iter_errors contradict one another.
    """
    validator = getattr(jsonschema_rs, sample["draft"])(sample["schema"], **sample.get("with", {}))
    found = [_place(error) for error in validator.iter_errors(sample["instance"])]
    if validator.is_valid(sample["instance"]) is bool(found):
        raise AssertionError(f"is_valid and iter_errors contradict one another: {found}")
    return found


def _place(error):
    keyword = [part for part in error.schema_path if isinstance(part, str)][-1]
    return f"{keyword}@{''.join(f'/{part}' for part in error.instance_path) or '$'}"
