"""The peer: the published engine, in an environment of its own that is made once and kept; others like it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

from mateprobe.pipeline.store import Store

LOCK = Path(__file__).with_name("peer.lock")


def environment(root: Path, lock: Path = LOCK) -> Path:
    """Return the Python of the environment of ``lock``, which the user's own pip fills if it is not there yet.

    Raises:
        RuntimeError: pip could not; what it said is the message.
    """
    made_from = lock.read_bytes() + sys.version.encode() + sys.base_prefix.encode()
    place = root / Store().root / f"peer-{hashlib.sha256(made_from).hexdigest()[:16]}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=place.parent, prefix=".peer-") as folder:
            made = Path(folder, "environment")
            venv.create(made, symlinks=True)
            _install(made / "bin" / "python", lock)
            _publish(made, place)
    return place / "bin" / "python"


def _publish(made: Path, place: Path) -> None:
    try:
        made.rename(place)
    except OSError:
        if not place.is_dir():  # else another process was faster, with the same
            raise


def _install(python: Path, lock: Path) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-input"]
    done = subprocess.run(
        [*command, "--no-deps", "--require-hashes", "--only-binary=:all:", "-r", str(lock)],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{lock.name}: pip could not install the peer:\n{done.stdout}{done.stderr}")
