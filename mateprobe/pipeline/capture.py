"""Command ``capture``: ask models what a collection wants to know, each attempt once.

No stage of a study: it needs a running model server, and what it writes is evidence, not an artifact.
An attempt is on disk before its request is sent. So after a crash nothing is asked twice: an attempt
without an answer is closed as interrupted, those never begun are made, and the file is sealed.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mateprobe.errors import EvidenceError, StageError
from mateprobe.pipeline.attempt_journal import Journal, opened
from mateprobe.pipeline.capture_config import load_config, manifest_bytes
from mateprobe.pipeline.collection import ATTEMPTS, MANIFEST, Attempt, Ended, attempts
from mateprobe.pipeline.files import sweep, write_bytes
from mateprobe.pipeline.model_server import ModelServer, Reply
from mateprobe.pipeline.protocols import PROTOCOLS, Protocol

Data = Mapping[str, Any]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("config", type=Path, help="what is asked of whom: a YAML file such as studies/_capture/*.yaml")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a new folder, or one to resume in")
    ports = ", ".join(f"{protocol.base_url} for {name}" for name, protocol in PROTOCOLS.items())
    parser.add_argument("--base-url", metavar="URL", help=f"where the server is (default: {ports})")


def run(args: argparse.Namespace) -> int:
    """Capture the collection; return 0 once every attempt is recorded."""
    manifest = load_config(args.config)
    protocol, limits = PROTOCOLS[manifest["protocol"]], manifest["limits"]
    server = ModelServer(args.base_url or protocol.base_url, seconds=limits["seconds"], limit=limits["bytes"])
    ended = capture(manifest, args.out, server)
    listed = ", ".join(f"{number} {word}" for word, number in sorted(ended.items()))
    print(f"capture: {ended.total()} attempts recorded in {args.out}: {listed}", file=sys.stderr)
    return 0


def capture(manifest: Data, folder: Path, server: ModelServer) -> Counter[str]:
    """Make the attempts of a collection that were not made before; return how all of them ended.

    Raises:
        EvidenceError: the folder holds something else, or another process is at work in it.
        StageError: the server is not there, or did not do the reset; what was not asked is left for the next run.
    """
    wanted, protocol = attempts(manifest), PROTOCOLS[manifest["protocol"]]
    frozen = manifest_bytes(manifest)
    _freeze(folder, frozen)
    with opened(folder / ATTEMPTS, hashlib.sha256(frozen).hexdigest()) as journal:
        for id in sorted(journal.asked - journal.ended.keys()):
            journal.end(id, Ended.INTERRUPTED)
        left = [attempt for attempt in wanted.values() if attempt.id not in journal.asked]
        with _progress(len(left)) as advance:
            for attempt in left:
                _make(attempt, manifest, protocol, server, journal)
                advance()
        journal.seal()
        return Counter(journal.ended.values())


def _make(attempt: Attempt, manifest: Data, protocol: Protocol, server: ModelServer, journal: Journal) -> None:
    _expect(server.get(protocol.probe), "a running server")
    if reset := manifest.get("reset"):
        _expect(server.post(reset["path"], reset["request"]), "the reset")
    journal.ask(attempt.id, attempt.request, reset=reset is not None)
    reply = server.post(protocol.path, attempt.request)
    response = reply.content
    if reply.ended is Ended.RETURNED:
        response = {key: value for key, value in response.items() if key not in protocol.passing}
    journal.end(attempt.id, reply.ended, response, reply.seconds)


def _expect(reply: Reply, what: str) -> None:
    if reply.ended is not Ended.RETURNED:
        raise StageError(
            f"expected {what}, found {reply.ended} ({reply.content:.300}); see to the server and run again: what was "
            "asked is recorded and will not be asked twice"
        )


def _freeze(folder: Path, frozen: bytes) -> None:
    """Write the manifest into a folder that is new or empty, or find the same one there."""
    path = folder / MANIFEST
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    if not path.exists():
        if occupied := sorted(entry.name for entry in folder.iterdir()):
            raise EvidenceError(
                f"{folder}: expected an empty folder or a collection, found {occupied[0]}; name another"
            )
        write_bytes(path, frozen)
    found = path.read_bytes()
    if found != frozen:
        hashes = [hashlib.sha256(data).hexdigest() for data in (frozen, found)]
        raise EvidenceError(
            f"{path}: expected the manifest with sha256 {hashes[0]}, found one with {hashes[1]}: another collection, "
            "or its configuration has changed; name another folder"
        )


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], object]]:
    """Show on a terminal how many attempts are done and how long the rest will take; yield what moves it on."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = TextColumn("capture"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("capture", total=total)
        yield lambda: progress.advance(task)
