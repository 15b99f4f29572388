"""Values of the library cannot be changed, and hold nothing but their fields."""

from __future__ import annotations

from dataclasses import is_dataclass
from inspect import getmembers, isclass
from types import ModuleType

import pytest

from mateprobe import outcome, relations, rules, runner, tally
from mateprobe.relations import FieldRef
from mateprobe.runner import Failure, Reading, Verdict
from mateprobe.tally import Rates

VALUES = (FieldRef, Failure, Reading, Verdict, Rates)


@pytest.mark.parametrize("module", [outcome, relations, rules, runner, tally], ids=lambda module: module.__name__)
def test_every_dataclass_is_frozen(module: ModuleType) -> None:
    own = [cls for _, cls in getmembers(module, isclass) if cls.__module__ == module.__name__ and is_dataclass(cls)]
    assert [cls.__name__ for cls in own if not cls.__dataclass_params__.frozen] == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("cls", VALUES, ids=lambda cls: cls.__name__)
def test_a_value_has_room_for_its_fields_alone(cls: type) -> None:
    assert is_dataclass(cls)
    assert cls.__slots__ == tuple(cls.__dataclass_fields__)  # type: ignore[attr-defined]
