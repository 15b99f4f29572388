"""Run a command; print, as JSON, its exit code and the user and system seconds and peak memory of it and its children.

    python -I -S spawn.py COMMAND…

On Linux a process counts the peak memory of the one that started it as its own: a bare one must start it.
"""

import json
import resource
import subprocess
import sys

code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=sys.stderr)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime, used.ru_stime, used.ru_maxrss]))
