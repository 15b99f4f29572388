"""The controlled study: pairs over three small policies, and eight validators of known quality (report, section 8).

Each policy has two obligations that its samples can break. A group is one valid baseline with four
faults, three against the first obligation and one against the second, and two controls. A validator is a
*profile*: the policy judged well, or in one of seven ways that an audit must be able to tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mateprobe import Verdict
from mateprobe.errors import InvalidValue, one_of
from mateprobe.pipeline.corpora import Row, Sample

PROVENANCE = "Authored from protocol v1; mechanically checked by specification."
RECORDED = "Recorded."
ACKNOWLEDGED = "Acknowledged."
NEXT_STEP = {"queued": "packed", "packed": "shipped", "shipped": "delivered"}


class Change(NamedTuple):
    """One edit of a baseline: the fields it sets, and the obligation it breaks or must leave alone."""

    family: str
    obligation: str
    fields: Mapping[str, Any]


class Group(NamedTuple):
    """A baseline with its four faults and two controls, in the order that numbers the cases.

    One control changes a field of an obligation and stays valid. The other changes the wording alone, which
    is no obligation's business, and is filed under the obligation that would have no control otherwise.
    """

    baseline: Sample
    faults: tuple[Change, ...]
    controls: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """What is promised of one kind of sample; ``key`` is a field no other kind has."""

    name: str
    key: str
    first: str  # the obligation most faults are aimed at
    group: Callable[[str, int], Group]
    findings: Callable[[Sample], Iterator[str]]


def _refund(name: str, _: int) -> Group:
    def receipt(status: str, request: str = name) -> Sample:
        return {"request": request, "status": status}

    following = f"{name}-next"
    return Group(
        {"request": name, "receipt": receipt("completed"), "text": RECORDED},
        faults=(
            Change("receipt_absent", "completion_status", {"receipt": None}),
            Change("receipt_pending", "completion_status", {"receipt": receipt("pending")}),
            Change("receipt_accepted", "completion_status", {"receipt": receipt("accepted")}),
            Change("receipt_of_another", "receipt_request", {"receipt": receipt("completed", f"{name}-other")}),
        ),
        controls=(
            Change("wording", "completion_status", {"text": ACKNOWLEDGED}),
            Change(
                "next_request",
                "receipt_request",
                {"request": following, "receipt": receipt("completed", following)},
            ),
        ),
    )


def _refund_findings(sample: Sample) -> Iterator[str]:
    receipt = sample["receipt"]
    if receipt is None or receipt["status"] != "completed":
        yield "completion_status"
    if receipt is not None and receipt["request"] != sample["request"]:
        yield "receipt_request"


def _shipping(name: str, _: int) -> Group:
    return Group(
        {"before": "queued", "after": "packed", "customer": name, "owner": name, "text": RECORDED},
        faults=(
            Change("step_skipped", "transition", {"after": "delivered"}),
            Change("step_unknown", "transition", {"after": "cancelled"}),
            Change("step_not_taken", "transition", {"after": "queued"}),
            Change("customer_of_another", "customer", {"customer": f"{name}-other"}),
        ),
        controls=(
            Change("wording", "customer", {"text": ACKNOWLEDGED}),
            Change("next_step", "transition", {"before": "packed", "after": "shipped"}),
        ),
    )


def _shipping_findings(sample: Sample) -> Iterator[str]:
    if NEXT_STEP.get(sample["before"]) != sample["after"]:
        yield "transition"
    if sample["customer"] != sample["owner"]:
        yield "customer"


def _reservation(name: str, number: int) -> Group:
    capacity = 10 + number
    return Group(
        {
            "capacity": capacity,
            "quantity": 2 + number,
            "resource": name,
            "authoritative_resource": name,
            "text": RECORDED,
        },
        faults=(
            Change("quantity_zero", "quantity", {"quantity": 0}),
            Change("quantity_over", "quantity", {"quantity": capacity + 1}),
            Change("quantity_negative", "quantity", {"quantity": -1}),
            Change("resource_of_another", "resource", {"resource": f"{name}-other"}),
        ),
        controls=(
            Change("wording", "resource", {"text": ACKNOWLEDGED}),
            Change("quantity_one", "quantity", {"quantity": 1}),
        ),
    )


def _reservation_findings(sample: Sample) -> Iterator[str]:
    quantity = sample["quantity"]
    if not isinstance(quantity, int) or isinstance(quantity, bool) or not 1 <= quantity <= sample["capacity"]:
        yield "quantity"
    if sample["resource"] != sample["authoritative_resource"]:
        yield "resource"


POLICIES = (
    Policy("refund", "receipt", "completion_status", _refund, _refund_findings),
    Policy("shipping", "owner", "transition", _shipping, _shipping_findings),
    Policy("reservation", "capacity", "quantity", _reservation, _reservation_findings),
)


def cases(*, groups: int = 8) -> Iterator[Row]:
    """Yield six rows a group, ``groups`` groups a policy: groups ``POLICY-N``, ids ``POLICY-N-K``, from 0.

    Raises:
        InvalidValue: fewer than one group.
    """
    if groups < 1:
        raise InvalidValue(f"groups={groups!r}: expected 1 or more")
    for policy in POLICIES:
        for number in range(groups):
            yield from _rows(policy, f"{policy.name}-{number}", number)


def _rows(policy: Policy, name: str, number: int) -> Iterator[Row]:
    group = policy.group(name, number)
    for place, change in enumerate(group.faults + group.controls):
        fault = place < len(group.faults)
        yield {
            "id": f"{name}-{place}",
            "group": name,
            "family": f"{policy.name}/{change.family}",
            "obligation": change.obligation,
            "relation": "violation" if fault else "preserve",
            "validity": "valid",
            "provenance": PROVENANCE,
            "expected": [change.obligation] if fault else [],
            "baseline": group.baseline,
            "variant": {**group.baseline, **change.fields},
        }


def published_row(row: Row) -> dict[str, Any]:
    """Return the row as the published corpus has it: the policy as its domain, and no obligation."""
    kept = ("id", "group", "baseline", "variant", "relation", "expected", "provenance")
    return {"domain": row["family"].partition("/")[0], **{key: row[key] for key in kept}}


def validate(sample: Sample, *, profile: str) -> Verdict:
    """Judge a sample of any of the policies, as the named profile does.

    A profile is given the sample alone: which samples are faults it must find out from the policy.

    Raises:
        InvalidValue: no such profile, or a sample of no policy. RuntimeError: the profile is
            ``crash_on_fault`` and the sample breaks its policy.
    """
    if profile not in PROFILES:
        raise InvalidValue(f"profile={profile!r}: {one_of(profile, PROFILES)}")
    for policy in POLICIES:
        if policy.key in sample:
            return PROFILES[profile](policy, sample)
    keys = ", ".join(policy.key for policy in POLICIES)
    raise InvalidValue(f"sample with the keys {sorted(sample)}: expected one of {keys} to tell its policy")


def _verdict(findings: Iterable[str]) -> Verdict:
    found = tuple(findings)
    return Verdict(not found, found)


def _correct(policy: Policy, sample: Sample) -> Verdict:
    return _verdict(policy.findings(sample))


def _omit_first_obligation(policy: Policy, sample: Sample) -> Verdict:
    return _verdict(finding for finding in policy.findings(sample) if finding != policy.first)


def _wrong_diagnostic_id(policy: Policy, sample: Sample) -> Verdict:
    return _verdict(["unrelated_reason"] if any(policy.findings(sample)) else [])


def _reject_valid_variation(policy: Policy, sample: Sample) -> Verdict:
    return _verdict([*policy.findings(sample), *["wording"] * (sample["text"] == ACKNOWLEDGED)])


def _crash_on_fault(policy: Policy, sample: Sample) -> Verdict:
    if any(policy.findings(sample)):
        raise RuntimeError("this profile crashes where it should reject")
    return Verdict(accepted=True)


def _unknown_on_fault(policy: Policy, sample: Sample) -> Verdict:
    broken = any(policy.findings(sample))
    return Verdict(accepted=not broken, complete=not broken)


PROFILES: Mapping[str, Callable[[Policy, Sample], Verdict]] = {
    "correct": _correct,
    "omit_first_obligation": _omit_first_obligation,
    "wrong_diagnostic_id": _wrong_diagnostic_id,
    "reject_valid_variation": _reject_valid_variation,
    "crash_on_fault": _crash_on_fault,
    "unknown_on_fault": _unknown_on_fault,
    "accept_all": lambda _policy, _sample: Verdict(accepted=True),
    "reject_all": lambda _policy, _sample: _verdict(["reject_all"]),
}
