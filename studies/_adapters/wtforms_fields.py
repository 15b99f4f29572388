"""WTForms: what a validator says of a field's data, and a form of what was sent."""

from wtforms import Form, ValidationError, fields, validators


class _Field:
    """As much of a field as a validator looks at."""

    raw_data = None

    def __init__(self, data):
        self.data, self.raw_data = data, [data]
        self.errors = []

    def gettext(self, text):
        return text

    def ngettext(self, one, many, number):
        return one if number == 1 else many


CASTS = {"float": float, None: lambda value: value}


def validated(sample):
    """Return ``VALIDATOR.invalid@$`` if the validator refuses the value."""
    validator = getattr(validators, sample["validator"])(**sample.get("with", {}))
    try:
        validator(None, _Field(CASTS[sample.get("cast")](sample["value"])))
    except ValidationError:
        return [f"{sample['validator']}.invalid@$"]
    return []


class _Sent(dict):
    """What a browser sent: a list of texts by name."""

    def getlist(self, name):
        return self[name] if isinstance(self[name], list) else [self[name]]


def selected(sample):
    """Yield ``FIELD.invalid@/NAME`` for every field that refuses; the form has one choice of several numbers."""

    class Choice(Form):
        foo = fields.SelectMultipleField(choices=[("1", "One"), ("2", "Two")], coerce=int)

    form = Choice(_Sent(sample["sent"]))
    form.validate()
    for name in form.errors:
        yield f"{type(form[name]).__name__}.invalid@/{name}"
