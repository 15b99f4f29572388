"""How a stage runs: made once, then restored wherever the same is asked for again.

A stage's key is the digest of its name, its code, its parameters, the content of its inputs, the lock
file and the Python version. If the store knows the key, the outputs are copied from it; otherwise
they are made, kept and put in place. The receipt, written last, says what came from what.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from mateprobe.canonical import digest, plain
from mateprobe.errors import EvidenceError, InvalidValue, StageError
from mateprobe.pipeline.code import PACKAGE, code_digest
from mateprobe.pipeline.files import publish, scratch, sha256_file, write_bytes
from mateprobe.pipeline.sealed import read_sealed, sealed
from mateprobe.pipeline.store import Artifact, Store, is_sha256

FORMAT = "mateprobe.receipt"
VERSION = 2
LOCK = PACKAGE.parent / "requirements.lock"
OUTSIDE = "outside:"
"""How a receipt calls an input that is not below the working folder begins."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a stage made, and from what. Holds no time, host or path of a machine.

    Attributes:
        stage: the stage's name.
        inputs: SHA-256 of each input, by its path below the working folder; of one that lies outside, by ``OUTSIDE``
            and its name.
        outputs: SHA-256 and bytes of each output, by its path below the working folder.
        code: digest of the stage's code.
        params: digest of its parameters.
    """

    stage: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, Artifact]
    code: str
    params: str


def run_stage(
    stage: str,
    *,
    inputs: Mapping[str, Path],
    params: Mapping[str, Any],
    modules: Sequence[str],
    outputs: Mapping[str, Path],
    make: Callable[[Mapping[str, Path]], None],
    receipt: Path,
    roots: Sequence[Path] = (),
    pinned: Mapping[str, Artifact] | None = None,
    store: Store | None = None,
) -> Receipt:
    """Bring the outputs into place, from the store or by ``make``, and write the receipt.

    Nothing is put in place before all outputs are there: if ``make`` raises, everything is as it was.

    Args:
        stage: its name, as shown on standard error: ``NAME: made in 0.12 s`` or ``NAME: restored``.
        inputs: the files it reads, by a name of its own; their content counts, not where they are.
        params: everything else that determines the outputs, as JSON.
        modules: the entry modules of its code, see ``code.code_digest``.
        outputs: where its files belong, by a name of its own.
        make: is given for each output name the path to write to; has the file name of the output.
        receipt: where the receipt belongs.
        roots: folders of further code, see ``code.code_digest``.
        pinned: outputs that are known beforehand; the store's word for another one is not taken.
        store: by default the one of ``MATEPROBE_CACHE`` or ``.cache``.

    Raises:
        EvidenceError: an input is absent, or changed while the stage ran.
        StageError: ``make`` left out an output.
        InvalidValue: two outputs are one file, or the parameters are no JSON.
    """
    began = perf_counter()
    store = store or Store()
    stamps, hashes = _stamps(inputs), _hashed(stage, inputs)  # in this order: a stamp is not younger than its hash
    code, settings = code_digest(*modules, roots=roots), digest(params)
    key = _key(stage, code, settings, hashes, outputs)
    with _partial(stage, outputs) as partial:
        made = _restored(store, key, partial, pinned or {})
        how = "restored"
        if made is None:
            try:
                make(partial)
            finally:  # what fails for want of an input that went is told by that
                if _stamps(inputs) != stamps:
                    raise EvidenceError(f"{stage}: an input changed while the stage ran ({_listed(inputs)}); run again")
            made = {name: _finished(stage, name, path) for name, path in partial.items()}
            if all(store.keep(partial[name], artifact) for name, artifact in made.items()):
                store.remember(key, stage, made)
            how = f"made in {perf_counter() - began:.2f} s"
        receipt.unlink(missing_ok=True)  # so that a receipt never stands beside other outputs than its own
        for name, path in outputs.items():
            publish(partial[name], path)
    result = Receipt(
        stage=stage,
        inputs={_shown(name, path): hashes[name] for name, path in inputs.items()},
        outputs={_shown(name, path): made[name] for name, path in outputs.items()},
        code=code,
        params=settings,
    )
    _write_receipt(receipt, result)
    print(f"{stage}: {how}", file=sys.stderr)
    return result


def read_receipt(path: Path) -> Receipt:
    """Return the receipt written to ``path`` by ``run_stage``.

    Raises:
        EvidenceError: no such file, no receipt, one of another version, or one that was changed.
    """
    try:
        content = read_sealed(path)
        if (content.pop("format"), content.pop("version")) != (FORMAT, VERSION):
            raise InvalidValue(f"another format than {FORMAT} version {VERSION}")
        outputs = {name: Artifact.read(artifact) for name, artifact in content.pop("outputs").items()}
        receipt = Receipt(outputs=outputs, **content)
        _expect_types(receipt)
    except FileNotFoundError:
        raise EvidenceError(f"{path}: expected the receipt of a stage, found none; run the stage") from None
    except (InvalidValue, AttributeError, KeyError, TypeError) as error:
        raise EvidenceError(f"{path}: expected a receipt, found {error}; run the stage again") from None
    return receipt


def _expect_types(receipt: Receipt) -> None:
    if not isinstance(receipt.stage, str):
        raise InvalidValue(f"stage={receipt.stage!r:.80}, not a name")
    for name, sha256 in {"code": receipt.code, "params": receipt.params, **receipt.inputs}.items():
        if not is_sha256(sha256):
            raise InvalidValue(f"{name}={sha256!r:.80}, not a sha256")


def locked_packages() -> str | None:
    """Return the SHA-256 of the lock file, which says what packages a stage runs with.

    None of an installed package, which has none beside it.
    """
    return sha256_file(LOCK) if LOCK.is_file() else None


def _hashed(stage: str, inputs: Mapping[str, Path]) -> dict[str, str]:
    hashes = {}
    for name, path in inputs.items():
        try:
            hashes[name] = sha256_file(path)
        except FileNotFoundError:
            raise EvidenceError(f"{stage}: input {name!r}: no file {path}; run the stage that makes it") from None
    return hashes


def _stamps(inputs: Mapping[str, Path]) -> list[tuple[int, int, int] | None]:
    """Return what tells a file from one that was put in its place; None of one that is gone."""
    return [_stamp(path) for path in inputs.values()]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _key(stage: str, code: str, params: str, hashes: Mapping[str, str], outputs: Mapping[str, Path]) -> str:
    return digest(
        {
            "stage": stage,
            "code": code,
            "params": params,
            "inputs": hashes,
            "outputs": sorted(outputs),
            "lock": locked_packages(),
            "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        }
    )


@contextmanager
def _partial(stage: str, outputs: Mapping[str, Path]) -> Iterator[dict[str, Path]]:
    """Yield for each output a path beside its place, with the same file name."""
    if len({os.path.abspath(path) for path in outputs.values()}) < len(outputs):
        raise InvalidValue(f"{stage}: two outputs are one file ({_listed(outputs)}); give each its own")
    with ExitStack() as stack:
        parents = sorted({path.parent for path in outputs.values()})
        folders = {parent: stack.enter_context(scratch(parent)) for parent in parents}
        yield {name: folders[path.parent] / path.name for name, path in outputs.items()}


def _restored(
    store: Store, key: str, partial: Mapping[str, Path], pinned: Mapping[str, Artifact]
) -> dict[str, Artifact] | None:
    """Copy all outputs from the store and return them, or None if one is not there as it should be."""
    known = store.recall(key)
    if known is None or known.keys() != partial.keys() or not pinned.items() <= known.items():
        return None
    if not all(store.fetch(known[name].sha256, path) for name, path in partial.items()):
        return None
    return {name: Artifact(known[name].sha256, path.stat().st_size) for name, path in partial.items()}


def _finished(stage: str, name: str, path: Path) -> Artifact:
    if path.is_symlink() or not path.is_file():
        raise StageError(f"{stage}: output {name!r}: expected the file {path.name}, found none when it had run")
    return Artifact.of(path)


def _write_receipt(path: Path, receipt: Receipt) -> None:
    write_bytes(path, sealed({"format": FORMAT, "version": VERSION, **plain(receipt)}))


def _shown(name: str, path: Path) -> str:
    """Return the path below the working folder; outside of it only names, which no machine decides."""
    relative = Path(os.path.relpath(path))
    return f"{OUTSIDE}{name}/{path.name}" if relative.parts[0] == ".." else relative.as_posix()


def _listed(files: Mapping[str, Path]) -> str:
    return ", ".join(map(str, files.values()))
