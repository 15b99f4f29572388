"use strict";
/* Data, loaded when it is needed. A page opened from a disk may not fetch, but it may run a script
   beside it: every data file is one call of mateprobe.take with its name and its content as JSON. */
(() => {
  const KEPT = 6; // so many data files stay in memory; those of a large study are megabytes each
  const loaded = new Map();
  const waiting = new Map();

  mateprobe.take = (name, text) => waiting.get(name)?.(text);

  function request(name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      waiting.set(name, (text) => resolve(JSON.parse(text)));
      script.src = `${name}.js`;
      script.onload = () => reject(new Error(`${name}.js holds other data than its name says`)); // unless taken before
      script.onerror = () => reject(new Error(`${name}.js is missing beside this page; make the report again`));
      document.head.append(script);
    }).finally(() => waiting.delete(name));
  }

  /* Return a promise of the content of a data file. Names come from the front page's data alone, never from an address. */
  mateprobe.load = (name) => {
    const found = loaded.get(name) ?? request(name);
    loaded.delete(name);
    loaded.set(name, found);
    found.catch(() => loaded.delete(name));
    if (loaded.size > KEPT) loaded.delete([...loaded.keys()].find((other) => other !== "front"));
    return found;
  };
})();
