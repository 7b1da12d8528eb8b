/**
 * Replaces the accent colour of this page. The server puts the same link into every page that it sends, so
 * other open pages follow when they are reloaded.
 * @param accent `#` and six hexadecimal digits; "" is the product's own
 */
export function showAccent(accent: string): void {
  const shown = document.querySelectorAll("link[data-accent]");
  const file = accent && `brand/${accent.slice(1)}.css`;
  if ((shown[0]?.getAttribute("href") ?? "") === file) return;
  const leave = () => shown.forEach((link) => link.remove());
  if (file === "") return leave();
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = file;
  link.dataset["accent"] = "";
  // The page keeps the old colour until the new one has arrived.
  link.addEventListener("load", leave);
  document.head.append(link);
}
