"use strict";
/* The pages: which one is shown stands in the address after #, so that every view can be linked to. */
(() => {
  const { h, table, figure, section, outcome, address, number, words } = mateprobe;
  const main = document.getElementById("main");
  const where = document.getElementById("where");

  const MODEST =
    "Counts are of constructed cases or of recorded outputs. They estimate nothing that occurs elsewhere; groups of cases " +
    "share templates and are not independent; accepting an output does not make it right.";
  const STUDY_HEADINGS = ["Study", "Title", "Cases", "Validators", "Agreement with the frozen report", "Gate"];
  const CLAIM_HEADINGS = ["Claim", "What it says", "Stated", "Computed", "Agrees", "From"];

  const undefinedOr = (text) => text ?? "undefined";

  function frontPage(front) {
    const studies = front.studies.map((study) => [
      h("a", { href: address(study.id) }, study.id),
      study.title,
      number(study.cases),
      number(study.validators),
      study.agreement ? `${number(study.agreement.values)} values, ${number(study.agreement.differences)} differences` : "",
      study.gates.map((gate) => h("div", null, outcomeOfGate(gate))),
    ]);
    return [
      h("h1", { tabindex: -1 }, "What the validators were found to do"),
      h("p", null, MODEST),
      section("Studies", table(STUDY_HEADINGS, studies, { numbers: [false, false, true, true], shown: 200 })),
      section("Agreement", h("p", null, agreementTold(front.studies))),
      claimsSection(front.claims),
      front.figures.length ? section("Figures over several studies", front.figures.map(figure)) : null,
    ];
  }

  function claimsSection({ agrees, claims, own }) {
    const none = "The numbers of the report are computed when every study it draws on is made.";
    if (!claims.length) return section("Claims", h("p", null, none));
    const told =
      `${number(agrees)} of ${number(claims.length)} numbers of the report come out as stated; ` +
      `${number(own)} further numbers are our own, with nothing to compare.`;
    const rows = claims.map(([id, says, stated, value, same, from]) => [id, says, stated, value, same ? "✓ yes" : "✗ no", from]);
    const every = h("details", null, h("summary", null, "Every number"), table(CLAIM_HEADINGS, rows, { shown: 50 }));
    return section("Claims", h("p", null, told), every);
  }

  function agreementTold(studies) {
    const held = studies.filter(({ agreement }) => agreement);
    if (!held.length) return "No study with a frozen report is here.";
    const sum = (name) => held.reduce((total, { agreement }) => total + agreement[name], 0);
    const [cases, values, differences] = ["cases", "values", "differences"].map((name) => number(sum(name)));
    const studiesHeld = `${number(held.length)} studies are held against frozen reports`;
    return `${studiesHeld}: ${cases} cases, ${values} values compared, ${differences} differences.`;
  }

  const outcomeOfGate = ({ validator, standing, told }) => [
    h("span", { class: `outcome ${standing === "met" ? "good" : "bad"}` }, standing === "met" ? "✓ " : "✗ ", validator), h("small", null, ` ${told}`),
  ];

  function summary(study) {
    const ends = study.outcomes.filter((word) => study.validators.some(({ counts }) => counts[word]));
    const rows = study.validators.map((validator) => [
      validator.id,
      undefinedOr(validator.detection),
      undefinedOr(validator.preservation),
      ...ends.map((word) => counted(study, { validator: validator.id, outcome: word }, validator.counts[word])),
    ]);
    const note = study.pooled ? null : h("p", null, "Obligations of this study are of different kinds: no rate spans them.");
    const headings = ["Validator", "Detection", "Preservation", ...ends.map(outcome)];
    const numbers = headings.map((_, column) => column > 0);
    return section("Summary", note, table(headings, rows, { numbers, caption: "How cases ended, by validator" }));
  }

  const counted = (study, chosen, count) => (count ? h("a", { href: address(study.id, { ...chosen, at: "cases" }) }, number(count)) : h("span", { class: "zero" }, "0"));

  /* Return obligations by outcomes for one validator, which a list chooses. */
  function obligations(study) {
    const place = h("div");
    const show = (id) => {
      const entries = study.obligations.map((obligation) => [obligation, obligation.validators[id]]);
      const ends = study.outcomes.filter((word) => entries.some(([, { counts }]) => counts[word]));
      const rows = entries.map(([obligation, { assessment, counts }]) => [
        h("div", null, h("b", null, obligation.id), h("div", null, h("small", null, obligation.description))),
        words(assessment),
        ...ends.map((word) => counted(study, { validator: id, obligation: obligation.id, outcome: word }, counts[word])),
      ]);
      const headings = ["Obligation", "Evidence", ...ends.map(outcome)];
      const numbers = headings.map((_, column) => column > 1);
      place.replaceChildren(table(headings, rows, { numbers, caption: `How the cases of each obligation ended for ${id}` }));
    };
    const options = study.validators.map(({ id }) => h("option", { value: id }, id));
    const select = h("select", { change: (event) => show(event.target.value) }, options);
    show(study.validators[0].id);
    return section("Obligations and outcomes", h("label", null, "Validator ", select), place);
  }

  const tables = (study) =>
    study.tables.length
      ? section("Tables", study.tables.map(({ name, title, headings, numbers, rows }) => [
          h("h3", null, title),
          table(headings, rows, { numbers, caption: `results/tables/${name}.csv has the exact values` }),
        ]))
      : null;

  async function studyPage(study, state) {
    const index = await mateprobe.load(`studies/${study.id}/cases`);
    if (state.case !== undefined) {
      const at = index.ids.indexOf(state.case);
      if (at < 0) throw new Error(`study ${study.id} has no case ${state.case}`);
      return [mateprobe.neighbours(study, index, state, at), ...(await mateprobe.caseView(study, index, at))];
    }
    return [
      h("h1", { tabindex: -1 }, study.title),
      h("p", null, study.description),
      study.gates.map((gate) => h("p", null, "Gate: ", outcomeOfGate(gate))),
      summary(study),
      obligations(study),
      mateprobe.casesSection(study, index, state),
      tables(study),
      study.figures.length ? section("Figures", study.figures.map(figure)) : null,
    ].flat();
  }

  /* Return what an address asks for: a study and what is chosen of it, or neither. */
  function asked(address) {
    const [, id, query] = /^#study\/([^?]*)\??(.*)$/.exec(address) ?? [];
    return { id: id === undefined ? undefined : decodeURIComponent(id), state: Object.fromEntries(new URLSearchParams(query ?? "")) };
  }

  async function page({ id, state }) {
    const front = await mateprobe.load("front");
    if (id === undefined) return { trail: [], content: frontPage(front) };
    if (!front.studies.some((study) => study.id === id)) throw new Error(`there is no study ${id}`);
    const study = await mateprobe.load(`studies/${id}/study`);
    const trail = [" / ", h("a", { href: address(id) }, id), ...(state.case === undefined ? [] : [" / case"])];
    return { trail, content: await studyPage(study, state), toCases: state.at === "cases" };
  }

  async function pageOrFault(hash) {
    try {
      return await page(asked(hash));
    } catch (error) {
      return { trail: [], content: [h("h1", { tabindex: -1 }, "This cannot be shown"), h("p", { role: "alert" }, error.message)] };
    }
  }

  let turn = 0; // what is asked for last is shown, whatever is loaded last

  async function show(first) {
    const mine = (turn += 1);
    main.setAttribute("aria-busy", "true");
    const { trail, content, toCases } = await pageOrFault(location.hash);
    if (mine !== turn) return;
    where.replaceChildren(...trail);
    main.replaceChildren(...content.filter(Boolean));
    main.setAttribute("aria-busy", "false");
    document.title = `${main.querySelector("h1").textContent} · MateProbe`;
    window.scrollTo(0, 0);
    if (!first || toCases) main.querySelector(toCases ? "#cases h2" : "h1").focus(); // scrolls there, too
  }

  window.addEventListener("hashchange", () => show(false));
  show(true);
})();
