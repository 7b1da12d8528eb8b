import type { Page } from "@playwright/test";

/**
 * Returns every text that elements of this selector show on pages opened from now on, in order. It also
 * records texts that are visible only for a moment, which a locator could miss.
 */
export async function hear(page: Page, selector: string): Promise<string[]> {
  const received: string[] = [];
  const name = `heard${Math.random().toString(36).slice(2)}`;
  await page.exposeBinding(name, (_source, text: string) => {
    if (received.at(-1) !== text) received.push(text);
  });
  await page.addInitScript(
    ([where, tell]) => {
      const report = (globalThis as unknown as Record<string, (text: string) => void>)[tell];
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll(where))
          if (textContent) report?.(textContent);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    },
    [selector, name] as const,
  );
  return received;
}
