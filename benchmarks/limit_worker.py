"""The limit of what reads and writes so many bytes: parse each line as JSON, hash it, write it. Once.

python limit_worker.py FOLDER FILE…
"""

import hashlib
import json
import sys
from pathlib import Path

for path in map(Path, sys.argv[2:]):
    digest = hashlib.sha256()
    with path.open("rb") as lines, Path(sys.argv[1], path.name).open("wb") as copy:
        for line in lines:
            json.loads(line)
            digest.update(line)
            copy.write(line)
