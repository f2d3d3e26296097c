"use strict";
// Says that there are new labels; the figures change only when they are asked for.
(() => {
  const results = document.getElementById("results");
  const news = document.getElementById("news");
  if (!results || !news) return;
  const look = async () => {
    if (document.hidden || !news.hidden) return;
    try {
      const answer = await fetch("/label/agreement/live", { credentials: "same-origin" });
      if (!answer.ok) return;
      const { version } = await answer.json();
      if (String(version) !== results.dataset.version) news.hidden = false;
    } catch { /* the server went away: the figures shown are as good as before */ }
  };
  setInterval(look, 5000);
  document.addEventListener("visibilitychange", look);
})();
