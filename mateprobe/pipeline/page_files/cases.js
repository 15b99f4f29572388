"use strict";
/* The cases of a study: chosen by what stands in the address, a page at a time. */
(() => {
  const { h, section, words, number, outcome, address } = mateprobe;
  const ROWS = 50;
  const KEYS = ["q", "obligation", "relation", "validator", "outcome", "page"];

  /* Return the value of a coded column at a place. */
  mateprobe.value = (column, at) => column.names[column.codes[at]];

  /* Return the places of the cases that are chosen. */
  function matching(index, chosen) {
    const tests = [];
    const only = (column, word) => {
      const code = column.names.indexOf(word);
      return (at) => column.codes[at] === code;
    };
    for (const name of ["obligation", "relation"]) if (chosen[name]) tests.push(only(index[name], chosen[name]));
    if (chosen.outcome) {
      const named = Object.hasOwn(index.outcomes, chosen.validator) ? [chosen.validator] : Object.keys(index.outcomes);
      const each = named.map((id) => only(index.outcomes[id], chosen.outcome));
      tests.push((at) => each.some((test) => test(at)));
    }
    const text = (chosen.q ?? "").trim().toLowerCase();
    if (text) {
      const found = (column) => column.names.map((name) => name.toLowerCase().includes(text));
      const coded = [index.group, index.family, index.obligation].map((column) => [column.codes, found(column)]);
      tests.push((at) => index.ids[at].toLowerCase().includes(text) || coded.some(([codes, hits]) => hits[codes[at]]));
    }
    const places = [];
    for (let at = 0; at < index.ids.length; at += 1) if (tests.every((test) => test(at))) places.push(at);
    return places;
  }

  function choice(label, name, options, chosen, change, every = "any") {
    const entries = [["", every], ...options.map((word) => [word, words(word)])];
    const made = entries.map(([word, text]) => h("option", { value: word, selected: (chosen[name] ?? "") === word }, text));
    return h("label", null, label, " ", h("select", { name, change }, made));
  }

  /* Return the section with the form, the rows and the pages; ``state`` is what the address says. */
  mateprobe.casesSection = (study, index, state) => {
    const chosen = Object.fromEntries(KEYS.filter((key) => state[key]).map((key) => [key, state[key]]));
    const validators = study.validators.map(({ id }) => id);
    const body = h("tbody");
    const status = h("p", { role: "status" });
    const pages = h("nav", { "aria-label": "Pages of cases", class: "pages" });

    function row(at) {
      const id = index.ids[at];
      const link = h("a", { href: address(study.id, { ...chosen, case: id }) }, id);
      const about = [index.obligation, index.relation, index.family].map((column) => mateprobe.value(column, at));
      const ends = validators.map((name) => outcome(mateprobe.value(index.outcomes[name], at)));
      return h("tr", null, [link, ...about, ...ends].map((content) => mateprobe.cell(content)));
    }

    function show() {
      const places = matching(index, chosen);
      const last = Math.max(1, Math.ceil(places.length / ROWS));
      const page = Math.min(Math.max(1, Number.parseInt(chosen.page, 10) || 1), last);
      const from = (page - 1) * ROWS;
      body.replaceChildren(...places.slice(from, from + ROWS).map(row));
      const range = places.length ? `, ${number(from + 1)} to ${number(Math.min(from + ROWS, places.length))} shown` : "";
      status.textContent = `${number(places.length)} of ${number(index.ids.length)} cases${range}`;
      const turn = (label, to) => {
        const go = () => {
          turned({ page: String(to) });
          [...pages.querySelectorAll("button")].find((other) => other.textContent === label && !other.disabled)?.focus();
        };
        return h("button", { type: "button", disabled: to < 1 || to > last || to === page, click: go }, label);
      };
      const here = ` page ${number(page)} of ${number(last)} `;
      pages.replaceChildren(turn("First", 1), turn("Previous", page - 1), here, turn("Next", page + 1), turn("Last", last));
    }

    function turned(changes) {
      Object.assign(chosen, changes);
      history.replaceState(null, "", address(study.id, chosen));
      show();
    }

    const change = (event) => turned({ [event.target.name]: event.target.value, page: "" });
    const search = h("input", { type: "search", name: "q", value: chosen.q ?? "", input: change, autocomplete: "off", spellcheck: "false" });
    const ends = [...new Set(validators.flatMap((id) => index.outcomes[id].names))].sort();
    const form = h(
      "form",
      { class: "choose", role: "search", submit: (event) => event.preventDefault() },
      h("label", null, "Search in id, group, family, obligation ", search),
      choice("Obligation", "obligation", index.obligation.names.filter(Boolean), chosen, change),
      choice("Relation", "relation", index.relation.names.filter(Boolean), chosen, change),
      choice("Outcome", "outcome", ends, chosen, change),
      choice("of validator", "validator", validators, chosen, change),
    );
    const head = ["Case", "Obligation", "Relation", "Family", ...validators].map((name) => h("th", { scope: "col" }, name));
    const made = h("table", { class: "cases", "aria-label": "Cases" }, h("thead", null, h("tr", null, head)), body);
    show();
    const region = h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Cases" }, made);
    const all = Object.assign(section("Cases", form, status, region, pages), { id: "cases" });
    all.querySelector("h2").tabIndex = -1; // a count leads here
    return all;
  };

  /* Return links from a case to those beside it among the chosen, and back to all of these. */
  mateprobe.neighbours = (study, index, state, at) => {
    const { case: _, ...chosen } = state;
    const places = matching(index, chosen);
    const here = places.indexOf(at);
    const link = (label, place) =>
      place === undefined ? null : h("a", { href: address(study.id, { ...chosen, case: index.ids[place] }) }, label);
    const beside = here < 0 ? [] : [link("Previous case", places[here - 1]), link("Next case", places[here + 1])];
    const back = h("a", { href: address(study.id, { ...chosen, at: "cases" }) }, "All chosen cases");
    return h("nav", { "aria-label": "Cases", class: "pages" }, back, beside);
  };
})();
