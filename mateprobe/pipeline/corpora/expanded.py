"""The expanded campaign: 21 further edits of one scene, each once (report, section 7).

Thirteen eligible faults, five of them beyond what a rule of ``studies/_profiles/expanded.yaml``
promises, which survive; five controls, one of them wrongly rejected; three rows whose label is not
valid and which therefore prove nothing. Those stay in: an exclusion is to be seen, not inferred.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator

from mateprobe.pipeline.corpora import (
    FORMULAS,
    REOFFERS,
    Family,
    Row,
    Sample,
    as_sentence,
    edit_state,
    edit_surface,
    freeze_credits,
    narrative,
)

BODY = (
    "La archivera despliega los planos sobre el atril de roble, indica la galería clausurada y aguarda una"
    " respuesta antes del anochecer."
)
LABEL = "Asumir la restauración del archivo"
OUTCOME = (
    "Recibes las llaves de la galería, dos aprendices quedan bajo tu cuidado y diez créditos más se anotan"
    " en tu libreta."
)
HISTORY = "Afuera llueve sobre los tejados de pizarra y un perro viejo duerme enroscado junto a la estufa apagada."
FORMULA = FORMULAS["es"]


def _forget_credits(sample: Sample) -> Sample:
    context = sample["context"]
    take = {"decision": context["states"]["take"]["decision"]}
    return {**sample, "context": {**context, "states": {**context["states"], "take": take}}}


# An entry reads: its name, its rule and what that must raise; why; the edit.

# Of the rules about facts and claims, all invariants.
INVARIANTS: tuple[Family, ...] = (
    Family(
        "required_fact_type", "required-status", "REQUIRED_FACT@state:current:status",
        "The status is the boolean true where the text pending is required; facts compare with their type.",
        edit_state("current", status=True),
    ),
    Family(
        "branch_claim_mismatch", "branch-claims", "CLAIM_STATE_MISMATCH@outcome",
        "The outcome of taking the offer declares that it was declined.",
        edit_surface("outcome", claims=[{"key": "decision", "value": "declined"}]),
    ),
    Family(
        "branch_claim_cross_scope", "branch-claims", "CLAIM_STATE_MISMATCH@outcome",
        "The outcome points at the other branch, whose facts do not bear its claim out.",
        edit_surface("outcome", state_ref="leave"),
    ),
    Family(
        "state_delta_removed", "advance", "NO_DOMAIN_CHANGE@transition:current->take",
        "Taking the offer leaves the credits as they were.",
        freeze_credits,
    ),
    Family(
        "state_snapshot_missing", "advance", "STATE_UNAVAILABLE@transition:current->take",
        "Without credits after taking the rule knows nothing, and an unknown is no violation to look for.",
        _forget_credits,
        "unreviewed",
    ),
    Family(
        "irrelevant_branch_fact", "branch-claims", None,
        "Other facts in the one branch that no surface narrates.",
        edit_state("leave", decision="postponed", credits=7),
    ),
    Family(
        "undeclared_contradiction", "branch-claims", "CLAIM_STATE_MISMATCH@outcome",
        "In the author's reading the prose denies its claim; the claim itself is untouched.",
        edit_surface("outcome", text="Dejas las llaves donde estaban y le dices a la archivera que no vas a"
                     " restaurar nada, ni hoy ni nunca."),
    ),
)  # fmt: skip

# Of the rules about texts, all heuristics.
HEURISTICS: tuple[Family, ...] = (
    Family(
        "unicode_nfd", "lexical-floor", None,
        "The body in Unicode form NFD: the same words to a reader.",
        edit_surface("body", text=unicodedata.normalize("NFD", BODY)),
    ),
    Family(
        "accent_case_spacing_punctuation", "repeat", None,
        "The body as a headline: capitals without accents, other spacing and punctuation.",
        edit_surface("body", text="¡LA ARCHIVERA DESPLIEGA LOS PLANOS SOBRE EL ATRIL DE ROBLE;  INDICA LA"
                     " GALERIA CLAUSURADA...  Y AGUARDA UNA RESPUESTA  ANTES DEL ANOCHECER!"),
    ),
    Family(
        "long_novel_expansion", "restatement", None,
        "Two more sentences in new words, both compatible with the claim.",
        edit_surface("outcome", text=f"{OUTCOME} Cada legajo se limpia, se numera y se guarda en cedro."
                     " Al cabo de un mes, los primeros visitantes hojean mapas que nadie había visto."),
    ),
    Family(
        "long_lexical_restatement", "restatement", "LEXICAL_RESTATEMENT@outcome",
        "The outcome is the label twenty times and one word more: length does not make it novel.",
        edit_surface("outcome", text=f"{f'{LABEL}. ' * 20}Hoy."),
    ),
    Family(
        "literal_formula", "formula", "FORBIDDEN_PATTERN@body",
        "The stock phrase, with its accents, opens the body.",
        edit_surface("body", text=f"{as_sentence(FORMULA)} {BODY}"),
    ),
    Family(
        "negated_formula_control", "formula", None,
        "The stock phrase is quoted to be denied: harmless in the author's reading, a match to a search.",
        edit_surface("body", text=f"Quien afirme que {FORMULA} miente, pues acabó a gritos. {BODY}"),
    ),
    Family(
        "formula_paraphrase", "formula", "FORBIDDEN_PATTERN@body",
        "The stock phrase's meaning in other words, a fault in the author's reading.",
        edit_surface("body", text=f"El encuentro acabó como todos deseaban, entre abrazos. {BODY}"),
    ),
    Family(
        "literal_settled_premise", "premise", "SETTLED_PREMISE_REOFFER@body",
        "The phrase that makes the settled offer again opens the body.",
        edit_surface("body", text=f"{as_sentence(REOFFERS['es'])} {BODY}"),
    ),
    Family(
        "premise_paraphrase", "premise", "SETTLED_PREMISE_REOFFER@body",
        "The settled offer is made again in other words, a fault in the author's reading.",
        edit_surface("body", text=f"Vuelven a tenderte aquel acuerdo que ya quedó zanjado ayer. {BODY}"),
    ),
    Family(
        "exact_repeat", "repeat", "REUSED_TEXT@body",
        "The body is the scene already shown.",
        edit_surface("body", text=HISTORY),
    ),
    Family(
        "paraphrase_repeat", "repeat", "REUSED_TEXT@body",
        "The scene already shown in other words, a fault in the author's reading.",
        edit_surface("body", text="Fuera cae agua en las tejas oscuras, y al lado del brasero frío dormita"
                     " hecho un ovillo un can anciano."),
    ),
    Family(
        "semantic_restatement", "restatement", "LEXICAL_RESTATEMENT@outcome",
        "The label in other words and nothing else, a fault in the author's reading.",
        edit_surface("outcome", text="Has elegido encargarte de devolver aquellos papeles antiguos a su"
                     " estado original, tal como te proponían."),
    ),
    Family(
        "equivalent_unicode_normalization", "lexical-floor", None,
        "The outcome in Unicode form NFD: one text to every rule, so no test of any.",
        edit_surface("outcome", text=unicodedata.normalize("NFD", OUTCOME)),
        "equivalent",
    ),
    Family(
        "not_applicable_semantics", "lexical-floor", None,
        "A body that hints at another purpose: nobody has judged it, and no rule speaks of purposes.",
        edit_surface("body", text="La escena insinúa un propósito distinto del que anuncian sus palabras,"
                     " sin que nada permita saber cuál."),
        "unreviewed",
    ),
)  # fmt: skip


def cases(*, seed: int = 20260929) -> Iterator[Row]:
    """Yield the 21 rows, ids ``expanded/FAMILY``; the seed draws the credits of their one baseline."""
    baseline = narrative(
        body=BODY,
        label=LABEL,
        outcome=OUTCOME,
        history=HISTORY,
        balance=random.Random(seed).randint(20, 200),
    )
    for family in INVARIANTS + HEURISTICS:
        yield family.row("expanded", baseline)
