"use strict";
/* One case: what it is, what every validator said and how that counts, baseline and variant. */
(() => {
  const { h, table, section, words, outcome } = mateprobe;
  const RELATIONS = {
    violation: "fault: the validator must report it",
    preserve: "control: the validator must still accept it",
    "": "a sample without a pair",
  };

  const list = (ids, none) => (ids.length ? h("ul", { class: "ids" }, ids.map((id) => h("li", null, id))) : none);

  /* Return the reported ids, each with a word on whether it was expected, and the expected ones that are absent. */
  function reported(ids, expected, paired) {
    const known = new Set(expected);
    const found = new Set(ids);
    const said = ids.map((id) => [id, known.has(id) ? "expected" : "unexpected"]);
    const absent = expected.filter((id) => !found.has(id)).map((id) => [id, "not reported"]);
    const entry = ([id, note]) => h("li", { class: note.replace(" ", "-") }, id, paired ? h("small", null, ` ${note}`) : null);
    const all = paired ? [...said, ...absent] : said;
    return all.length ? h("ul", { class: "ids" }, all.map(entry)) : "nothing";
  }

  function verdicts(study, index, at, detail) {
    const { paired, expected, said } = detail;
    const rows = study.validators.map(({ id }, column) => {
      const { baseline, variant, reported: ids, reason, readings } = said[column];
      const notes = Object.entries(readings).map(([name, word]) => h("div", null, h("small", null, `by ${words(name)}: ${words(word)}`)));
      return [
        id,
        words(baseline ?? "not asked"),
        words(variant ?? "not asked"),
        reported(ids, expected, paired),
        h("div", null, outcome(index.outcomes[id].names[index.outcomes[id].codes[at]]), notes),
        words(reason),
      ];
    });
    return table(["Validator", "Of the baseline", "Of the variant", "Reported", "Outcome", "Reason"], rows, { shown: 100 });
  }

  function facts(study, index, at, detail) {
    const obligation = study.obligations.find(({ id }) => id === mateprobe.value(index.obligation, at));
    const entries = [
      ["Obligation", obligation ? [h("b", null, obligation.id), ` ${obligation.description}`] : "none"],
      ["Relation", RELATIONS[mateprobe.value(index.relation, at)]],
      ["Expected ids", list(detail.expected, "none")],
      ["Label", words(mateprobe.value(index.validity, at))],
      ["Provenance", detail.provenance],
      ["Family", mateprobe.value(index.family, at)],
      ["Group", mateprobe.value(index.group, at)],
      ...(detail.about ? [["About", h("code", null, detail.about)]] : []),
    ];
    return h("dl", null, entries.map(([name, text]) => [h("dt", null, name), h("dd", null, text)]));
  }

  /* Return the view of the case at a place of the index. */
  mateprobe.caseView = async (study, index, at) => {
    const part = Math.floor(at / index.size);
    const { texts, cases } = await mateprobe.load(`studies/${study.id}/cases.${String(part).padStart(3, "0")}`);
    const [baseline, variant, expected, provenance, about, said] = cases[at % index.size];
    const fields = ([baseline, variant, reported, reason, readings]) => ({ baseline, variant, reported, reason, readings });
    const paired = mateprobe.value(index.relation, at) !== "";
    const detail = { paired, expected, provenance, about, said: said.map(fields) };
    const text = (place) => (place === null ? null : texts[place]);
    return [
      h("h1", { tabindex: -1 }, index.ids[at]),
      facts(study, index, at, detail),
      section("Verdicts", verdicts(study, index, at, detail)),
      section(
        "Baseline and variant",
        baseline === null && variant === null
          ? h("p", null, "There is no sample: nothing usable was recorded.")
          : mateprobe.sideBySide(text(baseline), paired ? text(variant) : null),
      ),
    ];
  };
})();
