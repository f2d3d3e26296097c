// Keys for the pair browser. Every page works without this file.
"use strict";
(() => {
  const STORE = "evenhand-keys";
  const help = document.getElementById("keys");
  const box = document.getElementById("keys-on");
  let on = true;
  try { on = localStorage.getItem(STORE) !== "off"; } catch { /* storage is refused: keys are on */ }
  if (box) {
    box.checked = on;
    box.addEventListener("change", () => {
      on = box.checked;
      try { localStorage.setItem(STORE, on ? "on" : "off"); } catch { /* for this page only */ }
    });
  }
  const rows = () => Array.from(document.querySelectorAll("a.open"));
  const follow = (selector) => {
    const link = document.querySelector(selector);
    if (link) link.click();
    return Boolean(link);
  };
  const step = (by) => {
    const links = rows();
    if (!links.length) return follow(by > 0 ? "a[rel=next]" : "a[rel=prev]");
    const here = links.indexOf(document.activeElement);
    const next = here < 0 ? (by > 0 ? 0 : links.length - 1) : here + by;
    if (links[next]) { links[next].focus(); links[next].scrollIntoView({ block: "nearest" }); }
    return true;
  };
  const unfold = () => {
    const folds = Array.from(document.querySelectorAll("details.fold"));
    const open = folds.some((fold) => !fold.open);
    folds.forEach((fold) => { fold.open = open; });
    return folds.length > 0;
  };
  const search = () => {
    const field = document.getElementById("q");
    if (field) { field.focus(); field.select(); return true; }
    return follow("#up");
  };
  const actions = {
    j: () => step(1),
    k: () => step(-1),
    n: () => follow("a[rel=next]"),
    p: () => follow("a[rel=prev]"),
    u: () => follow("#up"),
    d: unfold,
    "/": search,
    "?": () => { if (help && !help.open) help.showModal(); return Boolean(help); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target;
    if (target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (help && help.open) return;
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (action && (on || event.key === "?") && action()) event.preventDefault();
  });
  // Where the screen is narrow, filters begin folded: the rows come first.
  const filters = document.querySelector("details.filters");
  if (filters && matchMedia("(max-width: 60rem)").matches) filters.open = false;
})();
