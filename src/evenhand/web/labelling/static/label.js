"use strict";
// Keys for the page of a pair. Everything here is also a button, link or field: the page needs no script.
(() => {
  const form = document.getElementById("answers");
  if (!form) return;
  const buttons = new Map();
  for (const button of form.querySelectorAll("button[data-keys]"))
    for (const key of button.dataset.keys.split(" ")) buttons.set(key, button);

  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault(); // a second click while the first is on its way
    sent = true;
  });
  // Back to this page by the browser's history: it may be answered again.
  addEventListener("pageshow", () => { sent = false; });

  const nextConfidence = () => {
    const radios = [...form.elements.namedItem("confidence")];
    const at = radios.findIndex((radio) => radio.checked);
    radios[(at + 1) % radios.length].checked = true;
  };
  const toggleHelp = () => {
    const help = document.getElementById("help");
    help.open = !help.open;
    if (help.open) { help.scrollIntoView({ block: "nearest" }); help.querySelector("summary").focus(); }
  };

  addEventListener("keydown", (event) => {
    // A key that is held down must not answer pair after pair.
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || sent) return;
    const target = event.target;
    if (target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "radio")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    // Enter on a field would send the form; on a button or link it does what it says.
    if (event.key === "Enter" && target instanceof HTMLInputElement) { event.preventDefault(); return; }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const button = buttons.get(key);
    if (button) { event.preventDefault(); button.click(); return; }
    switch (key) {
      case "u": { const back = document.getElementById("back"); if (back) { event.preventDefault(); back.click(); } break; }
      case "c": event.preventDefault(); nextConfidence(); break;
      case "n": event.preventDefault(); document.getElementById("note").focus(); break;
      case "?": event.preventDefault(); toggleHelp(); break;
    }
  });
})();
