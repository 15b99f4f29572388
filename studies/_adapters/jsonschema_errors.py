"""jsonschema: the keyword and place of every error; the sample brings the schema, the instance and a store."""

import jsonschema


def errors(sample):
    """Yield ``KEYWORD@PLACE`` for every error, ``$`` being the instance itself."""
    schema, options = sample["schema"], {}
    if "store" in sample:
        options["resolver"] = jsonschema.RefResolver("", schema, store=sample["store"])
    if sample.get("formats"):
        options["format_checker"] = jsonschema.FormatChecker()
    validator = getattr(jsonschema, sample.get("draft", "Draft7Validator"))(schema, **options)
    for error in validator.iter_errors(sample["instance"]):
        place = "".join(f"/{part}" for part in error.absolute_path)
        yield f"{error.validator}@{place or '$'}"
