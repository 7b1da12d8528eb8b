/** The system's browser. Playwright's own is not downloaded. */
import { existsSync } from "node:fs";

/** The headless shell comes first. It needs half the time, because it draws no window, tabs or menus. */
const browserPaths = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export const browserFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** Throws if there is none. */
export function browserPath(): string {
  const path = browserPaths.find((candidate) => existsSync(candidate));
  if (path === undefined)
    throw new Error(
      `The browser tests need Chromium: none of ${browserPaths.join(", ")} exists. On Debian: apt-get install chromium-headless-shell`,
    );
  return path;
}
