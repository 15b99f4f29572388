"use strict";
/* Two JSON texts side by side, line by line. Texts are laid out, never parsed: 1 and 1.0 stay two values. */
(() => {
  const { h } = mateprobe;
  const NEAR = 3; // equal lines shown around a difference
  const LONG = 2000; // characters of a line shown before it is cut
  const WORD = 40; // letters; what is longer is no word
  const WORK = 4e6; // pairs of lines compared at most

  /* Return the lines of a canonical JSON text, one value each, two spaces a level. */
  function laidOut(text) {
    const lines = [];
    let line = "";
    let depth = 0;
    const end = () => {
      lines.push(line);
      line = "  ".repeat(depth);
    };
    for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]|[,:]|[^\s"[\]{},:]+/g)) {
      if ((token === "]" || token === "}") && !/[[{]$/.test(line)) {
        depth -= 1;
        end();
      } else if (token === "]" || token === "}") depth -= 1;
      else if (/[[{]$/.test(line)) end();
      line += token === ":" ? ": " : token;
      if (token === ",") end();
      else if (token === "[" || token === "{") depth += 1;
    }
    lines.push(line);
    return lines;
  }

  /* Return rows [left, right] of two lists of lines; what is undefined has no counterpart. */
  function aligned(left, right) {
    let start = 0;
    while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
    let end = 0;
    const least = Math.min(left.length, right.length) - start;
    while (end < least && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
    const same = (lines) => lines.map((line) => [line, line]);
    const middle = matched(left.slice(start, left.length - end), right.slice(start, right.length - end), (line) => line, byKey);
    return [...same(left.slice(0, start)), ...middle, ...same(left.slice(left.length - end))];
  }

  /* Set lines that differ against each other by their keys, what is left over against nothing. */
  const byKey = (left, right) => matched(left, right, keyOf, alone);
  const alone = (gone, come) => [...gone.map((line) => [line]), ...come.map((line) => [undefined, line])];

  /* What a line is the value of: its key, or that it is an item or a bracket, at its depth. */
  const keyOf = (line) => /^ *(?:"(?:[^"\\]|\\.)*": |[[\]{}])?/.exec(line)[0];

  /* Match two lists by the longest common subsequence of what ``of`` makes of their lines; ``rest`` gives the rows of what
     lies between. Lists too long for that are set against each other as they are. */
  function matched(left, right, of, rest) {
    if (left.length * right.length > WORK) {
      return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => [left[at], right[at]]);
    }
    const [one, other] = [left.map(of), right.map(of)];
    const width = right.length + 1;
    const common = new Uint16Array((left.length + 1) * width);
    for (let i = left.length - 1; i >= 0; i -= 1) {
      for (let j = right.length - 1; j >= 0; j -= 1) {
        common[i * width + j] =
          one[i] === other[j]
            ? common[(i + 1) * width + j + 1] + 1
            : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
      }
    }
    const rows = [];
    let [i, j, gone, come] = [0, 0, [], []];
    while (i < left.length || j < right.length) {
      if (i < left.length && j < right.length && one[i] === other[j]) {
        rows.push(...rest(gone, come), [left[i], right[j]]);
        [i, j, gone, come] = [i + 1, j + 1, [], []];
      } else if (j === right.length || (i < left.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
        gone.push(left[i]);
        i += 1;
      } else {
        come.push(right[j]);
        j += 1;
      }
    }
    return [...rows, ...rest(gone, come)];
  }

  /* Return where two unequal lines differ: the lengths of their common beginning and end. */
  function difference(one, other) {
    const most = Math.min(one.length, other.length);
    let start = 0;
    while (start < most && one[start] === other[start]) start += 1;
    let end = 0;
    while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
    if (start && /[\ud800-\udbff]/.test(one[start - 1])) start -= 1; // no character is cut in two
    if (end && /[\udc00-\udfff]/.test(one[one.length - end])) end -= 1;
    return [start - inWord(one, start, -1), end - inWord(one, one.length - end - 1, 1)];
  }

  /* Return how many letters lie from a place to the end of the word it is in, so that words are marked whole. */
  function inWord(text, place, step) {
    const first = step < 0 ? place - 1 : place + 1;
    let letters = 0;
    while (letters < WORD && /[\p{L}\p{M}\p{N}_]/u.test(text[first + letters * step] ?? "")) letters += 1;
    return letters < WORD ? letters : 0;
  }

  /* Return a text with its middle left out if it is long; the end next to a difference is the one that counts. */
  function cut(text, whole, keepStart, keepEnd) {
    if (whole || text.length <= LONG) return [text];
    const note = h("span", { class: "cut" }, ` … ${mateprobe.number(text.length - keepStart - keepEnd)} characters … `);
    return [text.slice(0, keepStart), note, keepEnd ? text.slice(-keepEnd) : null];
  }

  function cell(line, other, sign, whole) {
    if (line === undefined) return h("td", { class: "absent" });
    if (line === other) return h("td", null, h("span", { class: "sign" }, " "), cut(line, whole, 1000, 500));
    const [start, end] = other === undefined ? [0, 0] : difference(line, other);
    const stop = line.length - end;
    return h(
      "td",
      { class: sign === "+" ? "come" : "gone" },
      h("span", { class: "sign" }, sign),
      cut(line.slice(0, start), whole, 200, 800),
      stop > start ? h("mark", null, cut(line.slice(start, stop), whole, 1000, 500)) : null,
      cut(line.slice(stop), whole, 800, 200),
    );
  }

  const row = (pair, whole) => h("tr", null, cell(pair[0], pair[1], "−", whole), cell(pair[1], pair[0], "+", whole));

  /* Return the rows of a table: differences and what is near them; the rest opens by a button. */
  function folded(pairs, whole) {
    const shown = pairs.map(() => false);
    pairs.forEach(([left, right], at) => {
      if (left !== right) shown.fill(true, Math.max(0, at - NEAR), at + NEAR + 1);
    });
    if (!shown.includes(true)) shown.fill(true, 0, 200);
    const rows = [];
    for (let at = 0; at < pairs.length; at += 1) {
      const from = at;
      while (at < pairs.length && !shown[at]) at += 1;
      if (at - from === 1) rows.push(row(pairs[from], whole));
      else if (at > from) rows.push(fold(pairs.slice(from, at), whole));
      if (at < pairs.length) rows.push(row(pairs[at], whole));
    }
    return rows;
  }

  function fold(pairs, whole) {
    const open = (event) => {
      const place = event.target.closest("tr");
      const rows = pairs.map((pair) => row(pair, whole));
      place.replaceWith(...rows);
      rows[0].tabIndex = -1;
      rows[0].focus();
    };
    const label = `Show ${mateprobe.number(pairs.length)} equal lines`;
    return h("tr", { class: "fold" }, h("td", { colspan: 2 }, h("button", { type: "button", click: open }, label)));
  }

  /* Return both texts side by side with the difference marked; a sample without a counterpart stands alone. */
  mateprobe.sideBySide = (baseline, variant) => {
    const single = variant === null || baseline === null;
    const left = laidOut(baseline ?? variant ?? "");
    const pairs = single ? left.map((line) => [line, line]) : aligned(left, laidOut(variant));
    const only = baseline === null ? "Variant; there is no baseline" : "Sample; there is no variant";
    const names = single ? [only] : ["Baseline", "Variant"];
    const body = h("tbody");
    const fill = (whole) => {
      body.replaceChildren(...folded(pairs, whole));
      if (single) body.querySelectorAll("td:nth-child(2)").forEach((second) => second.remove());
    };
    fill(false);
    const long = pairs.some((pair) => pair.some((line) => line?.length > LONG));
    const button = h("button", { type: "button", click: () => (fill(true), button.remove()) }, "Show long lines whole");
    const head = h("thead", null, h("tr", null, names.map((name) => h("th", { scope: "col" }, name))));
    return h("div", null, long ? button : null, h("table", { class: "diff", "aria-label": names.join(" and ") }, head, body));
  };
})();
