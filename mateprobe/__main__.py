"""``python -m mateprobe``: the same as the ``mateprobe`` command."""

import sys

from .cli import main

sys.exit(main())
