# A bare machine needs make, git and Python 3.11 or newer with pip and venv. Another Python: make PYTHON=python3.12 …
#
##  make reproduce   regenerate every table, figure and number; ends with the tables and where everything lies
##  make reproduce FRESH=1   the same, with every audited package run anew instead of replayed
##  make reproduce PROFILE=slurm   the same on a cluster: workflow/profiles/, docs/scaling.md
##  make verify      hold what is in results/ against its hashes, back to what is pinned; changes nothing
##  make freeze      declare what is in results/ to be right: write studies/_frozen/*.sha256 (ARGS="--dry-run" shows what)
##  make pack        put results/ and what it was made from into one archive: results/mateprobe-evidence.tar.bz2
##  make test        run the tests (ARGS="-k digest" passes arguments on to pytest)
##  make test-cluster   run those that start a SLURM of one node here (Debian: slurmctld slurmd slurm-client munge)
##  make test-faults    kill whole runs at a hundred random moments, start them again, compare every byte
##  make lint        ruff, mypy, snakefmt, snakemake --lint
##  make fuzz        fuzz what reads foreign data: TARGET=loader, study, records, worker or archive (SECONDS=60)
##  make docs        build the documentation into site/, warnings are errors (open site/index.html)
##  make pages       renew the pages of docs/ that are made of rules, operators, schemas and the decision table
##  make mutants     mutate the core and see whether its tests notice: docs/mutants.md (ARGS="tally" mutates one module)
##  make coverage    which branches of the core its tests take; fails if canonical, outcome, classify or tally lack one
##  make bench       measure, in ratios to the published engine (ARGS="audit" measures one part)
##  make lock        renew requirements.lock, environment.yml and the locks of docs and slurm from pyproject.toml
##  make clean       remove what the commands above made, the stored results included; distclean: .venv too

PYTHON ?= python3
ARGS =
FRESH =
PROFILE = default
TARGET = loader
SECONDS = 60

unexport PYTHONDONTWRITEBYTECODE  # a run starts Python hundreds of times: let it keep what it compiled
unexport PYTHONPATH PYTHONHOME    # the environment is .venv and nothing else

# With LC_ALL=C, Python 3.11 does not start from a .venv below a folder called Ü. Where there is no C.UTF-8, Python takes
# what comes next to it.
unexport LC_ALL
export LC_CTYPE = C.UTF-8

.PHONY: help reproduce verify freeze pack test test-cluster test-faults lint fuzz docs pages mutants coverage bench lock clean distclean environment profile
help:
	@sed -n 's/^## //p' Makefile

reproduce: environment profile
	@.venv/bin/python -m mateprobe.pipeline reproduce --profile $(PROFILE) $(if $(FRESH),--fresh) $(ARGS)

verify: environment
	@.venv/bin/python -m mateprobe verify $(ARGS)

freeze: environment
	@.venv/bin/python -m mateprobe freeze $(ARGS)

# Its date is that of the commit: one that does not change from run to run.
pack: environment
	@SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH-$$(git log -1 --format=%ct 2> /dev/null)} \
	    .venv/bin/python -m mateprobe.pipeline pack $(ARGS)

test: environment
	.venv/bin/python -m pytest --numprocesses logical --maxprocesses 4 $(ARGS)

test-cluster: PROFILE = slurm
test-cluster: environment profile
	.venv/bin/python -m pytest tests/cluster $(ARGS)

test-faults: environment
	.venv/bin/python -m tests.workflow.kills $(ARGS)

lint: environment
	.venv/bin/python -m ruff check
	.venv/bin/python -m ruff format --check
	.venv/bin/python -m mypy
	.venv/bin/python -m snakefmt --check Snakefile workflow
	.venv/bin/python -m snakemake --lint

# The fuzzer is a large package that nothing else needs: it lies apart, and is installed when it is first wanted.
fuzz: environment
	@cmp -s tools/fuzz.lock .cache/fuzz/lock || { rm -rf .cache/fuzz/packages; \
	    $(pip-install) --require-hashes --target .cache/fuzz/packages -r tools/fuzz.lock && cp tools/fuzz.lock .cache/fuzz/lock; }
	PYTHONPATH=.cache/fuzz/packages .venv/bin/python tools/fuzz.py $(TARGET) --seconds $(SECONDS) $(ARGS)

# Its builder is in no environment unless asked for. What it says of its own successor is no warning about the pages;
# with --quiet it would count none.
docs: environment
	@cmp -s docs/requirements.lock .venv/docs-from || { \
	    $(pip-install) --require-hashes --no-deps -r docs/requirements.lock && cp docs/requirements.lock .venv/docs-from; }
	@NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --strict $(ARGS)

pages: environment
	.venv/bin/python -m tools.pages

# Likewise what makes mutants, beside the packages of .venv.
mutants: environment
	@cmp -s tools/mutants.lock .cache/mutants/lock || { rm -rf .cache/mutants; \
	    $(pip-install) --require-hashes --no-deps --target .cache/mutants/packages -r tools/mutants.lock && \
	    cp tools/mutants.lock .cache/mutants/lock; }
	PYTHONPATH=.cache/mutants/packages .venv/bin/python tools/mutants.py $(ARGS)

core = canonical engine rules relations outcome classify runner tally serialization
complete = canonical outcome classify tally
of-core = canonical engine rules relations classify runner repeat tally serialization values
coverage: environment
	@.venv/bin/python -m coverage erase
	.venv/bin/python -m coverage run -m pytest -q -p no:xdist $(of-core:%=tests/unit/test_%.py) \
	    tests/property/test_canonical_json.py tests/property/test_decision_table.py
	@.venv/bin/python -m coverage combine --quiet
	.venv/bin/python -m coverage report --no-skip-covered --include="$$(printf 'mateprobe/%s.py,' $(core))"
	@.venv/bin/python -m coverage report --format=total --fail-under=100 \
	    --include="$$(printf 'mateprobe/%s.py,' $(complete))" > /dev/null || { \
	    echo "$(complete): expected every branch to be taken; see above" >&2; exit 1; }

bench: environment
	.venv/bin/python -m benchmarks $(ARGS)

lock: environment
	.venv/bin/python tools/lock.py

clean:
	rm -rf .cache .snakemake .hypothesis .mypy_cache .pytest_cache .ruff_cache .coverage .coverage.* htmlcov dist site
	find . -path ./.venv -prune -o -name __pycache__ -prune -exec rm -rf {} +
	test ! -d results || find results -mindepth 1 ! -path results/README.md -delete

distclean: clean
	rm -rf .venv

# `made-from` and `entered-from` keep what .venv was made from: the Python, the checkout's place (scripts name it), the
# lock, the project's declaration. Written last, compared by content, they betray an edited lock, a moved checkout, an
# interrupted set-up; a time of change would not.
ingredients = echo "$(PYTHON)"; pwd; cat requirements.lock
environment:
	@{ $(ingredients); } | cmp -s - .venv/made-from && test -x .venv/bin/python || { $(make-environment); }
	@cmp -s pyproject.toml .venv/entered-from || { $(enter-project); }

# The executor that a profile names, if it has a lock. Others are spared it: Snakemake imports all it finds at every start.
profile: environment
	@lock=workflow/profiles/$(PROFILE)/requirements.lock; \
	test ! -e "$$lock" || cmp -s "$$lock" .venv/profile-from || { \
	    $(pip-install) --require-hashes --no-deps -r "$$lock" && cp "$$lock" .venv/profile-from; }

# connection-pool, a dependency of snakemake, comes as source only. Its build uses the setuptools of the lock, installed
# first, so that nothing is fetched that has no hash; with it comes the pip whose scripts start in half the time.
define make-environment
set -e; \
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || { \
    echo "MateProbe needs Python 3.11 or newer; PYTHON=$(PYTHON) answers: $$($(PYTHON) --version 2>&1)" >&2; \
    echo "Name another one: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 2; }; \
echo "Making .venv from requirements.lock, once, in about a minute" >&2; \
rm -f .venv/made-from; \
$(PYTHON) -m venv --clear .venv || { \
    echo "$(PYTHON) cannot make an environment: install its venv and pip (Debian: apt-get install python3-venv)" >&2; exit 2; }; \
sed -n '/^\(pip\|setuptools\)==/,/[^\\]$$/p' requirements.lock > .venv/installers.lock; \
$(pip-install) --require-hashes -r .venv/installers.lock; \
$(pip-install) --require-hashes --no-build-isolation -r requirements.lock; \
{ $(ingredients); } > .venv/made-from
endef

enter-project = set -e; $(pip-install) --no-build-isolation --no-deps --editable .; cp pyproject.toml .venv/entered-from
pip-install = .venv/bin/python -m pip install --quiet --quiet --no-user --compile
