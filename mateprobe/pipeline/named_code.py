"""The functions a study names: looked up in the corpora and in the code folder beside the study, nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mateprobe.beside import function_of, module_below
from mateprobe.errors import StudyError

CODE = Path("studies/_code")
"""Where the Python of studies lies: a folder of this name beside the study file."""

CORPORA = "mateprobe.pipeline.corpora."
"""The package of the generators and comparators that come with MateProbe."""


def allowed(module: str, root: Path = CODE) -> str:
    """Return ``module`` if a study may name it.

    Raises:
        StudyError: it is neither one of the corpora nor a file below ``root``.
    """
    if module.startswith(CORPORA) or module_below(root, module):
        return module
    raise StudyError(f"module {module!r}: expected one below {CORPORA[:-1]}, or a file below {root}")


def is_own(name: str) -> bool:
    """Tell a function of a study's own code from one of the corpora."""
    return not name.startswith(CORPORA)


def load_function(name: str) -> Callable[..., Any]:
    """Return the function of the corpora called ``module:function``; a study's own runs elsewhere: see ``foreign``.

    Raises:
        StudyError: the module is none of the corpora, does not import, or has no such function.
    """
    if is_own(name):
        raise StudyError(f"{name!r}: expected a function of a module below {CORPORA[:-1]}")
    return function_of(name)
