"use strict";
/* Parts that several pages have: addresses, tables, figures, counts that lead to cases. */
(() => {
  const { h } = mateprobe;
  const SHOWN = 25; // rows of a table shown before it is opened

  /* What an outcome is worth, by its word; a sign and a colour go with it, never the colour alone. */
  const WORTH = {
    detected: "good", preserved: "good", accepted: "plain", rejected: "plain",
    survived: "bad", unattributed_rejection: "bad", regressed: "bad",
    error: "unusable", undetermined: "unusable", baseline_failed: "unusable", incomplete: "unusable",
  };
  const SIGNS = { good: "✓", bad: "✗", unusable: "!", plain: "·", none: "–" };
  const worth = (word) => WORTH[word] ?? "none";

  /* Return an outcome with its sign, which stays on one line with the first word. */
  function outcome(word) {
    const [first, ...more] = mateprobe.words(word).split(" ");
    const begin = h("span", { class: "begin" }, `${SIGNS[worth(word)]} ${first}`);
    return h("span", { class: `outcome ${worth(word)}` }, begin, more.map((other) => ` ${other}`));
  }

  /* Return the address of a study, or of what is chosen of its cases. */
  function address(study, chosen = {}) {
    const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== "" && value !== undefined));
    return `#study/${encodeURIComponent(study)}${query.size ? `?${query}` : ""}`;
  }

  /* Return a table of rows of cells, long ones opened by a button; numbers: which columns are set to the right. */
  function table(headings, rows, { numbers = [], caption = null, shown = SHOWN } = {}) {
    const line = (row) => h("tr", null, row.map((content, column) => cell(content, numbers[column] ? "number" : null)));
    const body = h("tbody", null, rows.slice(0, shown).map(line));
    const head = headings.map((name, column) => h("th", { scope: "col", class: numbers[column] ? "number" : null }, name));
    const name = caption ?? headings.map((heading) => heading.textContent ?? heading).join(", ");
    const made = h("table", { "aria-label": name }, caption ? h("caption", null, caption) : null, h("thead", null, h("tr", null, head)), body);
    const open = () => {
      const first = rows.slice(shown).map(line);
      body.append(...first);
      button.remove();
    };
    const button = h("button", { type: "button", click: open }, `Show all ${mateprobe.number(rows.length)} rows`);
    // A region that scrolls must be reachable, or its right end is for mice only.
    const region = h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": name }, made);
    return h("div", { class: "table" }, region, rows.length > shown ? button : null);
  }

  /* Return a cell of a table; only a long text may be broken within a word. */
  function cell(content, name = null) {
    const made = h("td", { class: name }, content);
    if (made.textContent.length > 60) made.classList.add("long");
    return made;
  }

  const figure = ({ name, title, caption }) =>
    h(
      "figure",
      null,
      h("img", { src: `figures/${encodeURIComponent(name)}.png`, alt: title, loading: "lazy" }),
      h("figcaption", null, h("b", null, title, ". "), caption),
    );

  const section = (title, ...children) => h("section", null, h("h2", null, title), ...children);

  Object.assign(mateprobe, { outcome, address, cell, table, figure, section });
})();
