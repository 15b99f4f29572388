"""Django: whether a text passes URLValidator."""

from django.conf import settings

settings.configure(USE_I18N=False)

from django.core import validators  # noqa: E402 - it reads the settings as it is imported
from django.core.exceptions import ValidationError  # noqa: E402


def errors(sample):
    """Return ``ValidationError@$`` if the text is refused."""
    try:
        validators.URLValidator()(sample)
    except ValidationError as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []
