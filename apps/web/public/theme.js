// Runs before the first paint, so that no one sees the wrong colours. A file of its own: the page allows no inline script.
(function () {
  function kept(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }
  var saved = kept("theme");
  var dark = saved ? saved === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");

  // The program cannot say that it did not arrive. [sentence, button]
  var messages = {
    zh: ["无法加载此页面。请检查网络连接，然后重新加载。", "重新加载"],
    "zh-hk": ["無法載入此頁面。請檢查網路連線，然後重新載入。", "重新載入"],
    ja: ["このページを読み込めませんでした。接続を確認して、再読み込みしてください。", "再読み込み"],
    en: ["This page could not be loaded. Check your connection, then reload the page.", "Reload"],
  };
  /** In the visitor's language, else in that of the site. */
  function messageOf() {
    var wishes = [kept("appLanguage")].concat(navigator.languages, document.documentElement.lang);
    for (var index = 0; index < wishes.length; index += 1) {
      var tag = (wishes[index] || "").toLowerCase().replace("_", "-");
      var message = messages[tag] || messages[tag.slice(0, 2)];
      if (message) return message;
    }
    return messages.zh;
  }
  function fail() {
    var boot = document.querySelector("#root > .boot");
    if (!boot || boot.querySelector("button")) return;
    var message = messageOf();
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
