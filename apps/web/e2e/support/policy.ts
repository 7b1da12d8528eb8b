import type { Page } from "@playwright/test";

/** Collects what the content policy of a page refuses, and requests to other hosts. */
export function watchPolicy(page: Page): string[] {
  const found: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) found.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http") && host !== new URL(page.url()).host) found.push(request.url());
  });
  return found;
}
