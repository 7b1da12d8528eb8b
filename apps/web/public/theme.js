// Runs before the first paint, so that nobody sees the wrong colours. A file of its own: the page allows no inline script.
(function () {
  var saved = null;
  try {
    saved = localStorage.getItem("theme");
  } catch {
    saved = null;
  }
  var dark = saved ? saved === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
