/** Prints in the light colours, whichever the console has: paper is white. */

const attribute = "data-mantine-color-scheme";

export function printInLightColors(): void {
  const root = document.documentElement;
  let shown: string | null = null;
  window.addEventListener("beforeprint", () => {
    shown = root.getAttribute(attribute);
    root.setAttribute(attribute, "light");
  });
  window.addEventListener("afterprint", () => {
    if (shown !== null) root.setAttribute(attribute, shown);
    shown = null;
  });
}
