"""One engine, asked in JSON: ours in the process of the tests, the peer behind a pipe in its own environment.

    python worker.py PACKAGE        a request a line in, {"answer": …} or {"refused": …} a line out

Neither engine's wording leaves the worker: messages are each engine's own.
Both engines are built from the same requests by the same code, so an answer that differs is theirs.
"""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections.abc import Callable
from datetime import date
from importlib import import_module
from typing import Any


class Text(str):
    """A string that is not quite one."""

    __slots__ = ()


# What JSON has no form for travels as {"$NAME": plain form}.
_UNUSUAL: dict[str, Callable[[Any], Any]] = {
    "$bytes": lambda value: value.encode(),
    "$date": date.fromisoformat,
    "$map": lambda value: {decode(key): decode(item) for key, item in value},
    "$set": lambda value: set(map(decode, value)),
    "$text": Text,
    "$tuple": lambda value: tuple(map(decode, value)),
}


def decode(value: Any) -> Any:
    """Return what a request means by ``value``."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and (name := next(iter(value))) in _UNUSUAL:
        return _UNUSUAL[name](value[name])
    return {key: decode(item) for key, item in value.items()}


def tuples(value: Any) -> Any:
    """Return ``value`` with tuples for lists: the form in which settings are declared."""
    return tuple(map(tuples, value)) if isinstance(value, list) else value


class Engine:
    """The public operations of one package, each a method from JSON to JSON."""

    def __init__(self, package: str) -> None:
        homes = ("bindings", "engine", "model", "mutations", "relations", "rules", "text", "validator_audit")
        self._of = {home: import_module(f"{package}.{home}") for home in homes}
        self._rules = {**vars(self._of["rules"]), **vars(self._of["relations"]), "Told": self._told()}

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer of one operation, or the built-in error it was refused with."""
        arguments = decode(request)
        operation = getattr(self, arguments.pop("do"))
        try:
            return {"answer": _wordless(operation(**arguments))}
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a refusal is an answer)
            return {"refused": _built_in(error)}

    def text(self, text: str, fold: bool) -> dict[str, Any]:
        module = self._of["text"]
        return {"normalized": module.normalize(text, fold), "tokens": list(module.tokens(text))}

    def identity(self, value: Any, other: Any) -> dict[str, Any]:
        model = self._of["model"]
        return {
            "canonical": model.canonical(value),
            "digest": model.digest(value),
            "plain": model.plain(value),
            "same": model.same(value, other),
        }

    def check(self, document: Any, context: Any, contracts: Any, policy: Any) -> Any:
        report = self._of["engine"].evaluate(
            self._document(document), self._context(context), self._contracts(contracts), self._policy(policy)
        )
        return report.to_dict()

    def bind(self, output: Any, state: Any, bindings: Any) -> Any:
        return self._of["bindings"].check_fields(output, state, bindings).to_dict()

    def campaign(self, cases: Any, contracts: Any, policy: Any) -> Any:
        return self.report(cases, contracts, policy).to_dict()

    def report(self, cases: Any, contracts: Any, policy: Any) -> Any:
        built = tuple(map(self._mutation_case, cases))
        return self._of["mutations"].audit(built, self._contracts(contracts), self._policy(policy))

    def thresholds(self, detection: float, preservation: float, **campaign: Any) -> bool:
        return _holds(self.report(**campaign), detection, preservation)

    def validate(self, cases: Any, obligations: Any, validator_id: str) -> Any:
        return self._audit(cases, obligations, validator_id).to_dict()

    def validator_thresholds(self, detection: float, preservation: float, **audit: Any) -> bool:
        return _holds(self._audit(**audit), detection, preservation)

    def calls(self, **audit: Any) -> int:
        """Count how often the validator is asked."""
        asked: list[None] = []
        self._audit(**audit, heard=lambda: asked.append(None))
        return len(asked)

    def carry(self, context: Any) -> Any:
        """Copy, pickle and hash a context."""
        built = self._context(context)
        copies = [copy.copy(built), copy.deepcopy(built), pickle.loads(pickle.dumps(built))]  # noqa: S301 (our own)
        return [carried == built and hash(carried) == hash(built) for carried in copies]

    def _audit(self, cases: Any, obligations: Any, validator_id: str, heard: Callable[[], None] = lambda: None) -> Any:
        module = self._of["validator_audit"]

        def validator(sample: Any) -> Any:
            heard()
            return self._said(sample)

        return module.audit_validator(
            validator,
            tuple(self._audit_case(**case) for case in cases),
            obligations=tuple(module.Obligation(**item) for item in obligations),
            validator_id=validator_id,
        )

    def _said(self, sample: Any) -> Any:
        """Say what the sample says to say, and leave nothing of it whole."""
        said = sample.pop("say")
        if "raise" in said:
            raise {"ValueError": ValueError, "KeyError": KeyError, "SystemExit": SystemExit}[said["raise"]]("told to")
        if "return" in said:
            return said["return"]
        return self._of["validator_audit"].Verdict(**{key: tuples(value) for key, value in said.items()})

    def _audit_case(self, relation: str, validity: str, expected: Any, **rest: Any) -> Any:
        module = self._of["validator_audit"]
        labels = {"relation": module.Relation(relation), "validity": module.Validity(validity)}
        return module.AuditCase(expected=tuples(expected), **labels, **rest)

    def _mutation_case(self, case: Any) -> Any:
        module = self._of["mutations"]
        rest = {key: case[key] for key in ("id", "family", "provenance", "group")}
        return module.MutationCase(
            relation=module.Relation(case["relation"]),
            validity=module.Validity(case["validity"]),
            baseline=self._sample(case["baseline"]),
            variant=self._sample(case["variant"]),
            expected=tuple(module.Target(*target) for target in case["expected"]),
            **rest,
        )

    def _sample(self, sample: Any) -> Any:
        return self._of["mutations"].Sample(self._document(sample["document"]), self._context(sample["context"]))

    def _document(self, surfaces: Any) -> Any:
        return self._of["model"].Document(tuples([self._surface(**surface) for surface in surfaces]))

    def _surface(self, claims: Any = (), **rest: Any) -> Any:
        model = self._of["model"]
        return model.Surface(claims=tuple(model.Claim(*claim) for claim in claims), **rest)

    def _context(self, context: Any) -> Any:
        return self._of["model"].Context(**{key: tuples(value) for key, value in context.items()})

    def _policy(self, policy: Any) -> Any:
        return policy if policy is None else self._of["model"].Policy(**policy)

    def _contracts(self, contracts: Any) -> Any:
        return tuple(map(self._contract, contracts))

    def _contract(self, contract: Any) -> Any:
        reference = self._of["relations"].FieldRef
        settings = {
            key: reference(**item) if isinstance(item, dict) else tuples(item) for key, item in contract.items()
        }
        return self._rules[settings.pop("type")](**settings)

    def _told(self) -> type:
        """A user's rule: says, or fails to say, what it is told."""
        module, model = self._of["engine"], self._of["model"]

        class Told(module.Rule):  # type: ignore[misc, name-defined]
            def __init__(self, rule_id: str, tell: str) -> None:
                object.__setattr__(self, "rule_id", rule_id)
                object.__setattr__(self, "tell", tell)

            def evaluate(self, document: Any, context: Any) -> Any:
                own = self.result(model.Status.SATISFIED, "TOLD", "$", "as told", told=1, also="x")
                foreign = model.Check("another", "1", model.Kind.INVARIANT, model.Status.SATISFIED, "TOLD", "$", "")
                heuristic = model.Check(self.rule_id, "1", model.Kind.HEURISTIC, model.Status.SATISFIED, "T", "$", "")
                newer = model.Check(self.rule_id, "2", model.Kind.INVARIANT, model.Status.SATISFIED, "TOLD", "$", "")
                bare = model.Check(self.rule_id, "1", model.Kind.INVARIANT, "satisfied", "TOLD", "$", "")
                return {
                    "own": (own,), "two": (own, own), "list": [own], "none": (), "nothing": None, "words": ("own",),
                    "foreign": (own, foreign), "heuristic": (heuristic,), "newer": (newer,), "bare": (bare,),
                }[self.tell]  # fmt: skip

        Told.__module__, Told.__qualname__ = "told", "Told"
        return Told


def _holds(report: Any, detection: float, preservation: float) -> bool:
    try:
        report.assert_thresholds(detection=detection, preservation=preservation)
    except AssertionError:
        return False
    return True


def _wordless(answer: Any) -> Any:
    """Return ``answer`` without what each engine words in its own way, and without its version."""
    if isinstance(answer, list):
        return list(map(_wordless, answer))
    if not isinstance(answer, dict):
        return answer
    kept = {key: _wordless(value) for key, value in answer.items() if key != "library_version"}
    if "code" in kept:
        kept.pop("evidence", None)
    if "reason" in kept:
        kept["reason"] = kept["reason"].partition(":")[0]
    return kept


def _built_in(error: BaseException) -> str:
    return next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins")


def main(package: str) -> None:
    """Answer requests until there are no more."""
    engine = Engine(package)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(engine.ask(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
