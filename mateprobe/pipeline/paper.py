"""Stage ``paper``: the PDF of the paper, set by Typst from its source, the numbers, the tables and the figures.

The source holds no numeral of its own: a number comes from ``claims``, or the stage fails. No font and
no package of the machine plays a part, and the document has no date, so the same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping
from pathlib import Path

from mateprobe.errors import StudyError
from mateprobe.pipeline.claims import FOLDER
from mateprobe.pipeline.files import scratch
from mateprobe.pipeline.prose import refuse_numerals, shown
from mateprobe.pipeline.stage import run_stage

SOURCE = Path("paper/main.typ")
BESIDE = (Path("paper/style.typ"), Path("paper/references.bib"))
OUTPUT = FOLDER / "mateprobe.pdf"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--source", type=Path, default=SOURCE, help="the paper's source (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Write ``results/paper/mateprobe.pdf``; return 0.

    Raises:
        StudyError: a numeral that no artifact stands behind, or a source that Typst refuses.
    """
    inputs = {path.as_posix(): path for path in read_by(args.source)}

    def make(partial: Mapping[str, Path]) -> None:
        refuse_numerals(args.source)
        with scratch(partial["pdf"].parent) as folder:
            for name, path in inputs.items():
                copy = folder / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
            partial["pdf"].write_bytes(pdf(folder, args.source))

    run_stage(
        "paper",
        inputs=inputs,
        params={"source": args.source.as_posix()},
        modules=[__name__],
        outputs={"pdf": OUTPUT},
        make=make,
        receipt=FOLDER / "receipts" / "paper.json",
    )
    return 0


def read_by(source: Path) -> list[Path]:
    """Return every file the paper is made from."""
    return [source, *BESIDE, FOLDER / "numbers.typ", *shown(source)]


def pdf(root: Path, source: Path) -> bytes:
    """Return the PDF of a source below ``root``, which alone it can read.

    Raises:
        StudyError: Typst refuses it; with Typst's own words.
    """
    import typst

    try:
        made = typst.compile(root / source, root=root, format="pdf", ignore_system_fonts=True, timestamp=0)
    except typst.TypstError as error:
        raise StudyError(f"{source}: {error.diagnostic.strip() or error}".replace(f"{root}/", "")) from None
    if not isinstance(made, bytes):
        raise StudyError(f"{source}: expected one document, found {type(made).__name__}")
    return made
