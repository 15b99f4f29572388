"""The feasibility corpus: ten authored faults and five valid edits of each of 48 scenes (report, section 6).

Three domains in two languages, each in eight numeric variations. The variations exercise the
accounting, not the language: they change the credits, never a sentence. Eight fault families lie
within what a rule of ``studies/_profiles/narrative.yaml`` promises; the three ``challenge_`` families lie
beyond it on purpose and are there to survive, or to be wrongly rejected.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from mateprobe.errors import InvalidValue
from mateprobe.pipeline.corpora import (
    FORMULAS,
    REOFFERS,
    Family,
    Row,
    as_sentence,
    edit_state,
    edit_surface,
    freeze_credits,
    narrative,
)


@dataclass(frozen=True, slots=True)
class Scene:
    """The sentences of one domain in one language; ``body`` has an accent, so that NFD changes it."""

    domain: str
    language: str
    body: str
    label: str
    outcome: str
    history: str
    restated: str  # the label in other words, adding nothing to it
    denied: str  # an outcome that says the offer was declined
    detail: str  # a further sentence of the outcome, at odds with nothing


SCENES: tuple[Scene, ...] = (
    Scene(
        domain="employment",
        language="es",
        body="Lucía despeja el escritorio, abre la carpeta azul y te explica con calma qué turnos quedarían"
        " a tu cargo durante el otoño.",
        label="Tomar el puesto de supervisión",
        outcome="Entregas la ficha sellada en la oficina de personal, desde el lunes diriges la cuadrilla de"
        " noche y el presupuesto crece en diez créditos.",
        history="Un técnico cambia los fluorescentes del pasillo mientras dos aspirantes esperan sentados"
        " junto a la máquina de café.",
        restated="Has dicho que sí: aquel cargo de encargado que te propusieron pasa a ser tuyo, tal como"
        " elegiste hace apenas un momento.",
        denied="Devuelves la ficha sin firmar y le dices a Lucía que no quieres el cargo, así que otra"
        " persona dirigirá la cuadrilla.",
        detail="Una copia del nuevo horario queda clavada en el tablón.",
    ),
    Scene(
        domain="employment",
        language="en",
        body="Priya slides your résumé across the desk, circles two dates in pencil and asks which of the"
        " spring rosters you could lead.",
        label="Take the shift lead post",
        outcome="Your badge is reprinted before lunch, the night crew reports to you from Monday and ten"
        " more credits land in the unit budget.",
        history="A courier waits by the lifts with a dripping umbrella while the receptionist hunts for a"
        " pen that still writes.",
        restated="So that is settled, and the role of supervisor they had put forward now belongs to you,"
        " exactly as you decided.",
        denied="You hand the form back unsigned and tell Priya that you do not want the role, so somebody"
        " else will run the night crew.",
        detail="A copy of the new roster is pinned beside the kettle.",
    ),
    Scene(
        domain="customer_support",
        language="es",
        body="El agente repasa contigo la última factura, reconoce el cobro duplicado y espera a que decidas"
        " cómo quieres cerrar la reclamación.",
        label="Quedarse con la tarifa rebajada",
        outcome="El sistema emite un comprobante, tu línea pasa esta misma tarde a un plan más barato y"
        " aparecen diez créditos nuevos en la cuenta.",
        history="Suena una melodía de espera durante varios minutos hasta que una grabación pide marcar el"
        " número de cliente.",
        restated="Dijiste que te parecía bien seguir pagando menos cada mes, y así consta: la opción más"
        " económica es la que has elegido.",
        denied="Le dices al agente que no te interesa ninguna rebaja, pides que todo siga como antes y"
        " cuelgas sin haber aceptado nada.",
        detail="El número de expediente llega también por correo.",
    ),
    Scene(
        domain="customer_support",
        language="en",
        body="The agent reads the order for the café back to you, admits the duplicate charge and asks how"
        " you would like to settle the complaint.",
        label="Keep the reduced rate",
        outcome="A receipt arrives within the hour, your line moves to a cheaper tariff tonight and ten"
        " fresh credits show up on the account.",
        history="Hold music loops for several minutes until a recording asks for the nine digits printed"
        " above the barcode.",
        restated="Paying less every month sounded fine to you, and so it stands: the more economical option"
        " is what you have picked.",
        denied="You tell the agent that no discount interests you, ask for everything to stay as before and"
        " hang up having agreed to nothing.",
        detail="The ticket number follows by text message.",
    ),
    Scene(
        domain="interactive_fiction",
        language="es",
        body="La barquera amarra el bote bajo el puente, enciende un farol de aceite y te enseña el mapa"
        " húmedo de los túneles del río.",
        label="Sellar el pacto con la barquera",
        outcome="Cruzas el río antes del alba con la escolta prometida, y diez créditos de plata tintinean"
        " en la bolsa que te entrega el gremio.",
        history="Tres cuervos picotean las migas del alféizar mientras el posadero barre ceniza hacia la"
        " puerta entornada.",
        restated="Has dado tu palabra a la mujer del bote, y el trato que ella te propuso es ahora una"
        " promesa firme entre los dos.",
        denied="Apartas la mano, le dices a la barquera que no habrá trato alguno y la ves remar sola hacia"
        " la otra orilla sin ti.",
        detail="El agua borra poco a poco las huellas de la orilla.",
    ),
    Scene(
        domain="interactive_fiction",
        language="en",
        body="Beneath the ruined château the ferrywoman lights a lantern, ties her boat to a root and"
        " unrolls a damp chart of the caverns.",
        label="Seal the pact with the ferrywoman",
        outcome="You cross before dawn under the escort she promised, and ten silver credits clink inside"
        " the purse the guild hands over.",
        history="Three crows peck at crumbs along the sill while the innkeeper sweeps cold ash toward a"
        " half open door.",
        restated="Your word is given to the woman in the boat, and the bargain she put forward now binds"
        " the two of you for good.",
        denied="You pull your hand away, tell the ferrywoman there will be no bargain and watch her row"
        " alone to the far bank.",
        detail="The water slowly wipes the footprints from the shore.",
    ),
)

NEGATIONS = {
    "es": f"Sería falso escribir que {FORMULAS['es']}, porque nadie cedió en nada.",
    "en": f"It would be false to write that {FORMULAS['en']}, because nobody gave way on anything.",
}

# The same phrase to a reader, another to a search for its usual spelling.
DISGUISES = {
    "es": "La reunion salio bien.",
    "en": "".join(chr(ord(c) + 0xFEE0) if c.isalpha() else c for c in "The meeting went well."),
}


AUTHORED = "Authored edit of known effect:"
CHALLENGE = "Authored edit beyond what the rule promises, labelled by its author alone:"


def families(scene: Scene) -> tuple[Family, ...]:
    """Return the fifteen edits of one scene."""
    formula, reoffer = DISGUISES[scene.language], as_sentence(REOFFERS[scene.language])
    return (
        Family(
            "token_spam", "thin", "LOW_LEXICAL_CONTENT@body",
            f"{AUTHORED} the body is one letter ninety times.",
            edit_surface("body", text="z" * 90),
        ),
        Family(
            "padding_restatement", "restatement", "LEXICAL_RESTATEMENT@outcome",
            f"{AUTHORED} the outcome is the label and one long meaningless word.",
            edit_surface("outcome", text=f"{scene.label}: {'q' * 120}"),
        ),
        Family(
            "zero_domain_delta", "advance", "NO_DOMAIN_CHANGE@transition:current->take",
            f"{AUTHORED} taking the offer leaves the credits as they were.",
            freeze_credits,
        ),
        Family(
            "cross_branch_claim", "claims", "CLAIM_STATE_MISMATCH@outcome",
            f"{AUTHORED} the outcome declares the decision of the other branch.",
            edit_surface("outcome", claims=[{"key": "decision", "value": "declined"}]),
        ),
        Family(
            "unicode_formula", "formula", "FORBIDDEN_PATTERN@outcome",
            f"{AUTHORED} the stock phrase opens the outcome, without accents or in full-width letters.",
            edit_surface("outcome", text=f"{formula} {scene.outcome}"),
        ),
        Family(
            "closed_premise", "premise", "SETTLED_PREMISE_REOFFER@body",
            f"{AUTHORED} the body opens by making the settled offer again.",
            edit_surface("body", text=f"{reoffer} {scene.body}"),
        ),
        Family(
            "repeated_scene", "repeat", "REUSED_TEXT@body",
            f"{AUTHORED} the body is the scene already shown.",
            edit_surface("body", text=scene.history),
        ),
        Family(
            "required_fact", "fact", "REQUIRED_FACT@state:current:status",
            f"{AUTHORED} the current status is cancelled where pending is required.",
            edit_state("current", status="cancelled"),
        ),
        Family(
            "challenge_semantic_restatement", "restatement", "LEXICAL_RESTATEMENT@outcome",
            f"{CHALLENGE} the outcome says the label again in other words.",
            edit_surface("outcome", text=scene.restated),
        ),
        Family(
            "challenge_undeclared_contradiction", "claims", "CLAIM_STATE_MISMATCH@outcome",
            f"{CHALLENGE} the outcome's prose denies what its claim still declares.",
            edit_surface("outcome", text=scene.denied),
        ),
        Family(
            "whitespace", "thin", None,
            f"{AUTHORED} white space around the body.",
            edit_surface("body", text=f"\n\t {scene.body} \n"),
        ),
        Family(
            "unicode_nfd", "premise", None,
            f"{AUTHORED} the body in Unicode form NFD.",
            edit_surface("body", text=unicodedata.normalize("NFD", scene.body)),
        ),
        Family(
            "case_change", "repeat", None,
            f"{AUTHORED} the body in capitals.",
            edit_surface("body", text=scene.body.upper()),
        ),
        Family(
            "valid_expansion", "restatement", None,
            f"{AUTHORED} one more compatible sentence ends the outcome.",
            edit_surface("outcome", text=f"{scene.outcome} {scene.detail}"),
        ),
        Family(
            "challenge_negated_formula", "formula", None,
            f"{CHALLENGE} a sentence that denies the stock phrase opens the body.",
            edit_surface("body", text=f"{NEGATIONS[scene.language]} {scene.body}"),
        ),
    )  # fmt: skip


def cases(*, seed: int = 1729, variations: int = 8) -> Iterator[Row]:
    """Yield 15 rows for each domain, language and variation; ``variations`` scales the corpus.

    Groups are ``DOMAIN/LANG/N``, ids ``DOMAIN/LANG/N/FAMILY``. One group is in memory at a time.

    Raises:
        InvalidValue: fewer than one variation.
    """
    if variations < 1:
        raise InvalidValue(f"variations={variations!r}: expected 1 or more")
    # One stream for all groups, not a seed for each: the published corpus draws its credits so, and
    # ours are to be the same. The price is that more variations change the credits of later groups.
    draw = random.Random(seed)
    for scene in SCENES:
        edits = families(scene)
        for variation in range(variations):
            baseline = narrative(
                body=scene.body,
                label=scene.label,
                outcome=scene.outcome,
                history=scene.history,
                balance=draw.randint(20, 200),
            )
            for family in edits:
                yield family.row(f"{scene.domain}/{scene.language}/{variation}", baseline)
