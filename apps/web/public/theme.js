// Runs before the first paint, so that no one sees the wrong colours. A file of its own: the page allows no inline script.
(function () {
  var saved = null;
  try {
    saved = localStorage.getItem("theme");
  } catch {
    saved = null;
  }
  var dark = saved ? saved === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");

  // The program cannot say that it did not arrive. [sentence, button]
  var messages = {
    zh: ["无法加载此页面。请检查网络连接，然后重新加载。", "重新加载"],
    "zh-hk": ["無法載入此頁面。請檢查網路連線，然後重新載入。", "重新載入"],
    ja: ["このページを読み込めませんでした。接続を確認して、再読み込みしてください。", "再読み込み"],
    en: ["This page could not be loaded. Check your connection, then reload the page.", "Reload"],
  };
  function fail() {
    var boot = document.querySelector("#root > .boot");
    if (!boot || boot.querySelector("button")) return;
    var tag = document.documentElement.lang.toLowerCase();
    var message = messages[tag] || messages[tag.slice(0, 2)] || messages.en;
    var text = document.createElement("p");
    text.textContent = message[0];
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = message[1];
    button.addEventListener("click", function () {
      location.reload();
    });
    boot.removeAttribute("aria-busy");
    boot.append(text, button);
  }
  addEventListener(
    "error",
    function (event) {
      if (event.target instanceof HTMLScriptElement) fail();
    },
    true,
  );
  // While nothing is shown yet.
  addEventListener("unhandledrejection", fail);
})();
