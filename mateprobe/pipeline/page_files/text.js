"use strict";
/* Elements and texts. A text of a case is nobody's promise: it only ever becomes a text node, and a
   character that shows nothing, or turns the direction of others, is replaced by its name. */
var mateprobe = {};

(() => {
  // Controls (not tab, not line feed), odd spaces, zero widths, directions, selectors, tags, lone surrogates.
  const UNSEEN = new RegExp(
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f" +
      "\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb" +
      "\\u{e0000}-\\u{e0fff}\\p{Cs}]",
    "gu",
  );

  const codePoint = (character) => "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

  /* Append a text to an element, every unseen character by its name. */
  function append(element, text) {
    let from = 0;
    for (const { 0: character, index } of text.matchAll(UNSEEN)) {
      if (index > from) element.append(text.slice(from, index));
      const name = document.createElement("span");
      name.className = "unseen";
      name.textContent = codePoint(character);
      element.append(name);
      from = index + character.length;
    }
    if (from < text.length) element.append(text.slice(from));
  }

  /* Return a new element: h("td", {class: "number"}, "text", child, …); null children are left out. */
  function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined) continue;
      if (child instanceof Node) element.append(child);
      else append(element, String(child));
    }
    return element;
  }

  Object.assign(mateprobe, { h, number: (count) => count.toLocaleString("en"), words: (name) => name.replaceAll("_", " ") });
})();
