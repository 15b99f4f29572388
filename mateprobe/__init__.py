"""MateProbe: can this validator be trusted? Paired baselines, faults and controls, honest accounts.

The names below are imported on first use, so that importing the package costs almost nothing.
"""

from __future__ import annotations

from ._version import __version__ as __version__

LIBRARY_VERSION = __version__
"""The version reports carry (kept beside ``__version__`` for existing callers)."""

TYPE_CHECKING = False  # what type checkers take for true; importing typing costs more than Python's own start
if TYPE_CHECKING:
    from .adapters import lifecard_document as lifecard_document
    from .bindings import check_fields as check_fields
    from .engine import Contract as Contract, Profile as Profile, Rule as Rule, evaluate as evaluate
    from .errors import (
        EvidenceError as EvidenceError,
        InvalidType as InvalidType,
        InvalidValue as InvalidValue,
        MateProbeError as MateProbeError,
        StageError as StageError,
        StudyError as StudyError,
    )
    from .model import (
        Check as Check,
        Claim as Claim,
        Context as Context,
        Document as Document,
        Kind as Kind,
        Policy as Policy,
        Report as Report,
        Scalar as Scalar,
        Status as Status,
        Surface as Surface,
    )
    from .mutations import (
        CampaignReport as CampaignReport,
        CaseResult as CaseResult,
        MutationCase as MutationCase,
        Sample as Sample,
        Target as Target,
        audit as audit,
        replace_text as replace_text,
    )
    from .outcome import (
        Assessment as Assessment,
        Outcome as Outcome,
        Reason as Reason,
        Relation as Relation,
        Validity as Validity,
    )
    from .relations import AllowedTransition as AllowedTransition, CompareFields as CompareFields, FieldRef as FieldRef
    from .rules import (
        DeclaredClaimsConsistent as DeclaredClaimsConsistent,
        ForbiddenPattern as ForbiddenPattern,
        LexicalRestatement as LexicalRestatement,
        MinimumTokens as MinimumTokens,
        NoRepeatedText as NoRepeatedText,
        RequiredFact as RequiredFact,
        SettledPremise as SettledPremise,
        StateChanged as StateChanged,
    )
    from .validator_audit import (
        AuditCase as AuditCase,
        AuditResult as AuditResult,
        Obligation as Obligation,
        ValidatorAuditReport as ValidatorAuditReport,
        Verdict as Verdict,
        audit_validator as audit_validator,
    )

_HOMES = {
    "adapters": "lifecard_document",
    "bindings": "check_fields",
    "engine": "Contract Profile Rule evaluate",
    "errors": "EvidenceError InvalidType InvalidValue MateProbeError StageError StudyError",
    "model": "Check Claim Context Document Kind Policy Report Scalar Status Surface",
    "mutations": "CampaignReport CaseResult MutationCase Sample Target audit replace_text",
    "outcome": "Assessment Outcome Reason Relation Validity",
    "relations": "AllowedTransition CompareFields FieldRef",
    "rules": (
        "DeclaredClaimsConsistent ForbiddenPattern LexicalRestatement MinimumTokens "
        "NoRepeatedText RequiredFact SettledPremise StateChanged"
    ),
    "validator_audit": "AuditCase AuditResult Obligation ValidatorAuditReport Verdict audit_validator",
}
_HOME = {name: module for module, listed in _HOMES.items() for name in listed.split()}
__all__ = sorted([*_HOME, "LIBRARY_VERSION", "__version__"])  # noqa: PLE0605


if not TYPE_CHECKING:  # so that a misspelt name is seen where types are checked

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
