"""fastjsonschema: the rule and place of the first error."""

import fastjsonschema


def errors(sample):
    """Return ``RULE@PLACE`` if the compiled schema refuses the instance."""
    validate = fastjsonschema.compile(sample["schema"])
    try:
        validate(sample["instance"])
    except fastjsonschema.JsonSchemaException as refusal:
        return [f"{refusal.rule}@{refusal.name.replace('data', '$', 1)}"]
    return []
