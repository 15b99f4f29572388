"""Check a LifeCard: what each outcome declares must be what its own branch of the game holds.

The outcome of refusing was given the claims of accepting, as happens when text is copied from one
branch to the next. The claims are true in some state, only not in theirs, and that is found.
"""

from mateprobe import Claim, Context, DeclaredClaimsConsistent, Status, evaluate, lifecard_document

CARD = {
    "title_template": "A letter from the harbour",
    "body_template": "The shipping office offers you the night shift, ten coins a week.",
    "options": [
        {
            "id": "accept",
            "label_template": "Sign the contract",
            "outcomes": [
                {"id": "signed", "title_template": "Signed", "body_template": "You start on Monday, ten coins richer."}
            ],
        },
        {
            "id": "refuse",
            "label_template": "Send it back",
            "outcomes": [
                {"id": "sent", "title_template": "Sent back", "body_template": "The evenings stay yours."},
            ],
        },
    ],
}
CONTEXT = Context(
    {
        "current": {"coins": 20, "job": "none"},
        "accept/signed": {"coins": 30, "job": "harbour"},
        "refuse/sent": {"coins": 20, "job": "none"},
    }
)
CLAIMS = {
    "$.options[0].outcomes[0].body_template": (Claim("coins", 30), Claim("job", "harbour")),
    "$.options[1].outcomes[0].body_template": (Claim("coins", 30), Claim("job", "none")),  # the coins of accepting
}

document = lifecard_document(CARD, claims_by_surface=CLAIMS)
report = evaluate(document, CONTEXT, [DeclaredClaimsConsistent("claims", tuple(CLAIMS))])
for check in report.checks:
    if check.status is Status.VIOLATED:
        print(f"{check.scope}: {check.code}: {check.evidence}")
print(f"accepted: {report.accepted}")
