"""A package index of a folder: wheels of a few lines, so that environments are made without any network."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

import pytest


def wheel(folder: Path, name: str, version: str, source: str, *requires: str) -> Path:
    """Write a wheel with one module of the package's name."""
    path = folder / name / f"{name}-{version}-py3-none-any.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
    members = {
        f"{name}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{member},{hashed(text)},{len(text)}\n" for member, text in members.items())
    record += f"{info}/RECORD,,\n"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in {**members, f"{info}/RECORD": record}.items():
            archive.writestr(zipfile.ZipInfo(member), text)
    links = "".join(f'<a href="{each.name}">{each.name}</a>\n' for each in sorted(path.parent.glob("*.whl")))
    path.with_name("index.html").write_text(f"<!DOCTYPE html><html><body>\n{links}</body></html>\n")
    return path


def hashed(text: str) -> str:
    """Return the hash of a text as a RECORD writes it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def only_from(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let uv find packages in this folder and nowhere else."""
    monkeypatch.setenv("UV_DEFAULT_INDEX", folder.as_uri())
    monkeypatch.setenv("UV_CACHE_DIR", str(cache))
