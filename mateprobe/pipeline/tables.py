"""Stage ``tables``: the tables of the report, each from the artifacts of the studies that name it.

What a table shows stands in ``table_specs``, how it is written in ``table_forms``. One process makes
those of a family: loading pandas costs more than most of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from mateprobe.errors import StageError, StudyError, one_of
from mateprobe.pipeline.files import write_bytes
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.table import Table
from mateprobe.pipeline.table_forms import FORMS
from mateprobe.pipeline.table_specs import OWN, TABLES, table_called

FOLDER = RESULTS / "tables"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument(
        "--table",
        required=True,
        action="append",
        nargs="+",
        metavar=("NAME", "INPUT"),
        help="a table and the artifacts with its rows, in order; as often as wanted",
    )


def run(args: argparse.Namespace) -> int:
    """Write ``results/tables/NAME.{json,csv,md,typ}`` of every table asked for; return 0.

    Raises:
        StudyError: no such table. StageError: a table has no rows.
    """
    for name, table, inputs in [(name, _known(name, inputs), inputs) for name, *inputs in args.table]:
        _make(name, table, {path: Path(path) for path in inputs})
    return 0


def _known(name: str, inputs: list[str]) -> Table:
    if name not in TABLES and inputs != TABLES[OWN].inputs(name, ()):
        raise StudyError(f"table {name!r}: {one_of(name, TABLES)}")
    return table_called(name)


def _make(name: str, table: Table, inputs: Mapping[str, Path]) -> None:
    """Bring one table into place; each is a stage of its own, so that only what changed is made again."""

    def make(partial: Mapping[str, Path]) -> None:
        frame = table.read(inputs.values())
        if frame.empty:
            raise StageError(f"table {name!r} has no rows from {', '.join(inputs)}; an empty table proves nothing")
        for form, path in partial.items():
            write_bytes(path, FORMS[form](table, frame).encode())

    run_stage(
        "tables",
        inputs=inputs,
        params={"table": name, "inputs": list(inputs)},
        modules=[__name__],
        outputs={form: FOLDER / f"{name}.{form}" for form in FORMS},
        make=make,
        receipt=FOLDER / "receipts" / f"{name}.json",
    )
