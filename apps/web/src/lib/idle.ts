/** When to load ahead: only while the browser is idle, and never for users who save data. */
const IDLE_WITHIN_MS = 5_000;

/** Returns whether the user saves data. Nothing is loaded ahead then. */
export function isSavingData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
  return connection?.saveData === true || /2g/.test(connection?.effectiveType ?? "");
}

/** Resolves when the browser is idle. Not every browser has `requestIdleCallback`. */
export function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window)
      window.requestIdleCallback(() => resolve(), { timeout: IDLE_WITHIN_MS });
    else setTimeout(resolve, 200);
  });
}
