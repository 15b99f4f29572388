"""MateProbe: can this validator be trusted? Paired baselines, faults and controls, honest accounts.

The names below are imported on first use, so that importing the package costs almost nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__ as __version__

LIBRARY_VERSION = __version__
"""The version reports carry (kept beside ``__version__`` for existing callers)."""

if TYPE_CHECKING:
    from .adapters import lifecard_document as lifecard_document
    from .bindings import check_fields as check_fields
    from .engine import Contract as Contract
    from .engine import Profile as Profile
    from .engine import Rule as Rule
    from .engine import evaluate as evaluate
    from .errors import (
        EvidenceError as EvidenceError,
    )
    from .errors import (
        InvalidType as InvalidType,
    )
    from .errors import (
        InvalidValue as InvalidValue,
    )
    from .errors import (
        MateProbeError as MateProbeError,
    )
    from .errors import (
        StageError as StageError,
    )
    from .errors import (
        StudyError as StudyError,
    )
    from .model import (
        Check as Check,
    )
    from .model import (
        Claim as Claim,
    )
    from .model import (
        Context as Context,
    )
    from .model import (
        Document as Document,
    )
    from .model import (
        Kind as Kind,
    )
    from .model import (
        Policy as Policy,
    )
    from .model import (
        Report as Report,
    )
    from .model import (
        Scalar as Scalar,
    )
    from .model import (
        Status as Status,
    )
    from .model import (
        Surface as Surface,
    )
    from .mutations import (
        CampaignReport as CampaignReport,
    )
    from .mutations import (
        CaseResult as CaseResult,
    )
    from .mutations import (
        MutationCase as MutationCase,
    )
    from .mutations import (
        Sample as Sample,
    )
    from .mutations import (
        Target as Target,
    )
    from .mutations import (
        audit as audit,
    )
    from .mutations import (
        replace_text as replace_text,
    )
    from .outcome import (
        Assessment as Assessment,
    )
    from .outcome import (
        Outcome as Outcome,
    )
    from .outcome import (
        Reason as Reason,
    )
    from .outcome import (
        Relation as Relation,
    )
    from .outcome import (
        Validity as Validity,
    )
    from .relations import AllowedTransition as AllowedTransition
    from .relations import CompareFields as CompareFields
    from .relations import FieldRef as FieldRef
    from .rules import (
        DeclaredClaimsConsistent as DeclaredClaimsConsistent,
    )
    from .rules import (
        ForbiddenPattern as ForbiddenPattern,
    )
    from .rules import (
        LexicalRestatement as LexicalRestatement,
    )
    from .rules import (
        MinimumTokens as MinimumTokens,
    )
    from .rules import (
        NoRepeatedText as NoRepeatedText,
    )
    from .rules import (
        RequiredFact as RequiredFact,
    )
    from .rules import (
        SettledPremise as SettledPremise,
    )
    from .rules import (
        StateChanged as StateChanged,
    )
    from .validator_audit import (
        AuditCase as AuditCase,
    )
    from .validator_audit import (
        AuditResult as AuditResult,
    )
    from .validator_audit import (
        Obligation as Obligation,
    )
    from .validator_audit import (
        ValidatorAuditReport as ValidatorAuditReport,
    )
    from .validator_audit import (
        Verdict as Verdict,
    )
    from .validator_audit import (
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


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
