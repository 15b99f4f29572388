"""Requests both engines understand: a small vocabulary, so that texts, facts and targets meet often."""

from __future__ import annotations

from typing import Any

from hypothesis import settings, strategies as st

many = settings(max_examples=3 * settings().max_examples)

SURFACES = ("body", "label", "outcome")
STATES = ("current", "take")
KEYS = ("status", "credits")
PREMISES = ("offer", "threat")

# Letters that normalising, folding and cutting treat differently: accents in both forms, full width, ligatures, sharp
# s, dotted capital i, a final sigma, marks without a letter, digits, an underscore, joiners, spaces of all kinds.
LETTERS = "aAbcé\u0301ñ\uff21\uff45ﬁßİ\u0131Σς²½٣_'-. \t\n\u00a0\u200b\u200d\u2028\u0915\u093eᾼ漢한가😀"
FULL_WIDTH = "\uff57\uff45\uff4e\uff54"  # went
WORDS = ("salió", "salio", "bien", "BIEN", "the", "Meeting", "went", "well", "x1", "1", FULL_WIDTH, "straße", "STRASSE")
words = st.sampled_from(WORDS) | st.text(LETTERS, max_size=6)
texts = st.lists(words, max_size=12).map(" ".join) | st.text(max_size=12)

scalars = st.sampled_from(
    ["pending", "", "é", None, True, False, 0, 1, 2, -1, 10**30, 0.0, -0.0, 1.0, 2.5, 1e22, 1e-7]
) | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3)  # fmt: skip

# Anything JSON holds, and what only Python tells apart: tuples, keys that are not strings, subclasses of str.
keys = st.text(max_size=2) | st.sampled_from([1, True, None, 1.5, {"$text": "sub"}, {"$tuple": [1, 2]}])
values = st.recursive(
    scalars | st.just({"$text": "sub"}),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=2), inner, max_size=4)
        | st.lists(inner, max_size=3).map(lambda items: {"$tuple": items})
        | st.lists(st.tuples(keys, inner), max_size=3, unique_by=lambda pair: _as_json(pair[0])).map(
            lambda items: {"$map": [list(item) for item in items]}
        )
    ),
    max_leaves=12,
)


def _as_json(key: Any) -> str:
    """The text a key gets in JSON: two that agree would be one."""
    return {"$text": "sub", "$tuple": "(1, 2)"}[next(iter(key))] if isinstance(key, dict) else str(key)


def _some(options: tuple[str, ...], minimum: int = 0) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(options), min_size=minimum, max_size=len(options), unique=True)


claims = st.lists(st.tuples(st.sampled_from(KEYS), scalars).map(list), max_size=3)
surface = st.fixed_dictionaries(
    {"text": texts}, optional={"state_ref": st.sampled_from((*STATES, "nowhere")), "claims": claims}
)
documents = st.builds(
    lambda ids, surfaces: [{"id": id, **surface} for id, surface in zip(ids, surfaces, strict=False)],
    st.permutations(SURFACES),
    st.lists(surface, min_size=3, max_size=3) | st.lists(surface, min_size=1, max_size=2),
)
facts = st.fixed_dictionaries(dict.fromkeys(KEYS, scalars)) | st.dictionaries(st.sampled_from(KEYS), scalars)
states = st.fixed_dictionaries(dict.fromkeys(STATES, facts)) | st.dictionaries(st.sampled_from(STATES), facts)
contexts = st.fixed_dictionaries(
    {"states": states},
    optional={"closed_premises": st.lists(st.sampled_from((*PREMISES, "unheard")), max_size=3),
              "history": st.lists(texts, max_size=3)},
)  # fmt: skip
policies = st.none() | st.fixed_dictionaries({"block_heuristics": st.booleans(), "block_undetermined": st.booleans()})

patterns = st.sampled_from([r"\bsalio bien\b", "meeting WENT", "x*", "^$", "é", "(?:a|b)+", r"\d", "straße", "("])
surface_ids = _some(SURFACES) | _some((*SURFACES, "nowhere"))
named_surfaces = _some(SURFACES, minimum=1) | surface_ids
references = st.fixed_dictionaries(
    {"state_ref": st.sampled_from((*STATES, *STATES, "nowhere")), "key": st.sampled_from(KEYS)}
)
numbers = st.integers(1, 4) | st.integers(-1, 4)
_SETTINGS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "RequiredFact": {"key": st.sampled_from(KEYS), "expected": scalars},
    "DeclaredClaimsConsistent": {"surface_ids": surface_ids, "require_claims": st.booleans()},
    "StateChanged": {"before": st.sampled_from(STATES), "after": st.sampled_from(STATES), "keys": _some(KEYS)},
    "MinimumTokens": {"surface_ids": named_surfaces, "minimum": numbers, "minimum_unique": numbers},
    "LexicalRestatement": {
        "source": st.sampled_from(SURFACES), "target": st.sampled_from(SURFACES),
        "overlap_threshold": st.sampled_from([0, 0.0, 0.5, 0.7, 1, 1.0, -0.1, 1.1]),
        # From one on: a floor of no novel tokens is one of the listed differences.
        "minimum_novel_tokens": st.integers(1, 4),
    },
    "ForbiddenPattern": {
        "patterns": st.lists(patterns, max_size=2), "surface_ids": named_surfaces, "fold_accents": st.booleans()
    },
    "SettledPremise": {
        "patterns": st.lists(st.tuples(st.sampled_from(PREMISES), patterns).map(list), max_size=3),
        "surface_ids": surface_ids,
    },
    "NoRepeatedText": {"surface_ids": surface_ids},
    "CompareFields": {"left": references, "right": references, "operator": st.sampled_from(["eq", "le", "lt"])},
    "AllowedTransition": {
        "before": references, "after": references,
        "allowed": st.lists(st.tuples(scalars, scalars).map(list), max_size=3),
    },
    "Told": {"tell": st.sampled_from(
        ["own", "two", "list", "none", "nothing", "words", "foreign", "heuristic", "newer", "bare"]
    )},
}  # fmt: skip


CONTRACTS = tuple(_SETTINGS)


def contract(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Settings for a contract of that type, now and then some it refuses."""
    return st.fixed_dictionaries({"type": st.just(name), "rule_id": st.sampled_from("pqrst"), **_SETTINGS[name]})


def evaluations(contracts: st.SearchStrategy[list[dict[str, Any]]]) -> st.SearchStrategy[dict[str, Any]]:
    """A document to be judged by such contracts."""
    return st.fixed_dictionaries(
        {"document": documents, "context": contexts, "contracts": contracts, "policy": policies}
    )


profiles = st.lists(
    st.sampled_from(CONTRACTS).flatmap(contract), min_size=1, max_size=4, unique_by=lambda item: str(item["rule_id"])
)

# Campaigns start from a sample that this profile accepts, and change one thing or two.
PROFILE = [
    {"type": "RequiredFact", "rule_id": "fact", "key": "status", "expected": "pending"},
    {"type": "DeclaredClaimsConsistent", "rule_id": "claims", "surface_ids": ["outcome"]},
    {"type": "StateChanged", "rule_id": "advance", "before": "current", "after": "take", "keys": ["credits"]},
    {"type": "MinimumTokens", "rule_id": "thin", "surface_ids": ["body"], "minimum": 3, "minimum_unique": 2},
    {"type": "LexicalRestatement", "rule_id": "restatement", "source": "label", "target": "outcome"},
    {"type": "ForbiddenPattern", "rule_id": "formula", "patterns": ["salio bien"], "surface_ids": ["body", "outcome"]},
    {"type": "SettledPremise", "rule_id": "premise", "patterns": [["offer", "same offer"]], "surface_ids": ["body"]},
    {"type": "NoRepeatedText", "rule_id": "repeat", "surface_ids": ["body"]},
    {"type": "CompareFields", "rule_id": "order", "left": {"state_ref": "current", "key": "credits"},
     "right": {"state_ref": "take", "key": "credits"}, "operator": "le"},
]  # fmt: skip


def _changed(changes: list[tuple[str, Any, Any]]) -> dict[str, Any]:
    """Return a sample the profile accepts, with these changes."""
    value = {name: value for name, value, _ in changes}
    claim = ["status", value.get("claim", "accepted")]
    outcome = value.get("outcome", "La respuesta llegó por carta al día siguiente")
    return {
        "document": [
            {"id": "body", "text": value.get("body", "Nadie ha venido a la oficina")},
            {"id": "label", "text": "Acepta el puesto"},
            {"id": "outcome", "text": outcome, "state_ref": "take", "claims": [claim]},
        ],
        "context": {
            "states": {
                "current": {"status": value.get("status", "pending"), "credits": 20},
                "take": {"status": "accepted", "credits": value.get("credits", 30)},
            },
            "closed_premises": value.get("premises", ["offer"]),
            "history": ["Todo empezó una mañana de marzo"],
        },
    }


# Changes of one parameter of a sample, each with the findings it causes: none where a rule cannot decide, where one
# fails, and where all is as well as before.
_CHANGES: list[tuple[str, Any, list[tuple[str, str, str]]]] = [
    ("body", "¡Aaa! aaa", [("thin", "LOW_LEXICAL_CONTENT", "body")]),
    ("body", "Todo salió bien ayer", [("formula", "FORBIDDEN_PATTERN", "body")]),
    ("body", "The same offer again", [("premise", "SETTLED_PREMISE_REOFFER", "body")]),
    ("body", "todo EMPEZÓ una mañana de marzo", [("repeat", "REUSED_TEXT", "body")]),
    ("body", "Nadie, al fin, ha venido a la oficina", []),
    ("outcome", "Acepta el puesto, acepta", [("restatement", "LEXICAL_RESTATEMENT", "outcome")]),
    ("outcome", "La reunión salió bien al día siguiente", [("formula", "FORBIDDEN_PATTERN", "outcome")]),
    ("status", "cancelled", [("fact", "REQUIRED_FACT", "state:current:status")]),
    ("credits", 20, [("advance", "NO_DOMAIN_CHANGE", "transition:current->take")]),
    ("credits", 10, [("order", "FIELDS_MISMATCH", "compare:current.creditsletake.credits")]),
    ("credits", "30", []),
    ("credits", 20.0, []),
    ("claim", "declined", [("claims", "CLAIM_STATE_MISMATCH", "outcome")]),
    ("premises", ["offer", "unheard"], []),
    ("premises", [], []),
]
TARGETS = sorted({target for *_, targets in _CHANGES for target in targets})
changes = st.lists(st.sampled_from(_CHANGES), max_size=2)
targets = st.lists(st.sampled_from(TARGETS), min_size=1, max_size=2)
LABELS = [*6 * ["valid"], "equivalent", "unreviewed"]


@st.composite
def mutation_cases(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Cases over that profile: most of them start from the sample it accepts."""
    cases = []
    for number in range(draw(st.integers(0, 6))):
        fault, variant = draw(st.booleans()), draw(changes)
        caused = [target for *_, found in variant for target in found]
        expected = draw(st.just(caused or TARGETS[:1]) | targets) if fault else []
        cases.append(
            {
                "id": f"case-{number}",
                "family": draw(st.sampled_from(["one", "two"])),
                "group": draw(st.sampled_from(["", "g"])),
                "relation": "violation" if fault else "preserve",
                "baseline": _changed(draw(st.just([]) | st.just([]) | changes)),
                "variant": _changed(variant),
                "expected": list(map(list, expected)),
                "validity": draw(st.sampled_from(LABELS)),
                "provenance": "written for this",
            }
        )
    return cases


campaigns = st.fixed_dictionaries({"cases": mutation_cases(), "contracts": st.just(PROFILE), "policy": policies})

ACCEPTED: dict[str, Any] = {"accepted": True}
REJECTED: dict[str, Any] = {"accepted": False, "violations": ["w", "v"]}
verdicts = st.sampled_from(
    [
        ACCEPTED,
        {"accepted": True, "evidence": ["read", ""]},
        {"accepted": False, "violations": ["v"]},
        {"accepted": False, "violations": ["v", "w"], "evidence": ["both"]},
        {"accepted": False, "violations": ["w"]},
        {"accepted": False},
        {"accepted": True, "complete": False},
        {"accepted": False, "violations": ["v", "w"], "complete": False},
        {"accepted": False, "violations": ["v", "w"], "complete": False, "evidence": ["not all read"]},
        {"accepted": True, "violations": ["v"]},
        {"accepted": 1},
        {"accepted": False, "violations": ["v", "v"]},
        {"raise": "KeyError"},
        {"return": True},
    ]
)


def _told(say: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"value": values, "say": say})


@st.composite
def audit_cases(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Cases whose samples say what the validator is to say of them."""
    cases = []
    for number in range(draw(st.integers(0, 6))):
        fault = draw(st.booleans())
        accepted, rejected = _told(st.just(ACCEPTED)), _told(st.just(REJECTED))
        right = rejected if fault else accepted
        baseline = draw(accepted | accepted | _told(verdicts))
        cases.append(
            {
                "id": f"case-{number}",
                "obligation": draw(st.sampled_from(["one", "two"])),
                "baseline": baseline,
                "variant": draw(right | right | _told(verdicts) | _told(verdicts) | st.just(baseline)),
                "relation": "violation" if fault else "preserve",
                "expected": draw(st.sampled_from([["v"], ["w"], ["v", "w"]])) if fault else [],
                "validity": draw(st.sampled_from(LABELS)),
                "provenance": "written for this",
            }
        )
    return cases


OBLIGATIONS = [
    {"id": "one", "description": "the first"},
    {"id": "two", "description": "the second", "scope": "challenge"},
    {"id": "three", "description": "nobody tests it"},
]
audits = st.fixed_dictionaries(
    {"cases": audit_cases(), "obligations": st.just(OBLIGATIONS), "validator_id": st.just("told")}
)
