/**
 * Preloads screens: the code of all menu screens while the
 * browser is idle, and the data of a screen on hover.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { loadMessagesOf } from "#lib/i18n.ts";
import { isMissingCode } from "#lib/missing-code.ts";
import { selfQuery, useSelf } from "#lib/session.ts";
import { type Screen, visibleMenu } from "./screens.ts";

/** Delay that lets the opened screen and its data load first, in milliseconds. */
const FIRST_AFTER_MS = 2_000;
const IDLE_WITHIN_MS = 5_000;

/** Screens whose code was missing ahead of time. A second import would succeed without the style sheets that failed. */
const missingAhead = new WeakMap<Screen["load"], unknown>();

/** Throws what was missing when this screen was loaded ahead. */
export function requireLoadable(load: Screen["load"]): void {
  const error = missingAhead.get(load);
  if (error !== undefined) throw error;
}

function noteMissing(load: Screen["load"], error: unknown): void {
  if (isMissingCode(error)) missingAhead.set(load, error);
}

/** Returns whether the user saves data. Nothing is preloaded then. */
function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
  return connection?.saveData === true || /2g/.test(connection?.effectiveType ?? "");
}

/**
 * Loads the code, messages and first rows of a screen.
 * Failures are ignored: opening the screen loads it again.
 */
export async function loadAhead(screen: Screen, client: QueryClient): Promise<void> {
  if (savesData()) return;
  try {
    const [page] = await Promise.all([screen.load(), loadMessagesOf("screens")]);
    await page.prefetch?.(client);
  } catch (error) {
    // Opening the screen reports the error.
    noteMissing(screen.load, error);
  }
}

/** Preloads the code of all menu screens, one after the other, while the browser is idle. */
export function useScreensAhead(): void {
  const self = useSelf();
  const client = useQueryClient();
  const known = self !== undefined && self !== null;
  useEffect(() => {
    if (!known || savesData()) return;
    let stopped = false;
    async function loadAll() {
      const rights = client.getQueryData(selfQuery.queryKey);
      if (!rights) return;
      await loadMessagesOf("screens");
      for (const { load } of visibleMenu(rights).flatMap((group) => group.screens)) {
        await idle();
        if (stopped) return;
        await load().catch((error: unknown) => noteMissing(load, error));
      }
    }
    const timer = setTimeout(() => void loadAll().catch(() => {}), FIRST_AFTER_MS);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [known, client]);
}

/** Resolves when the browser is idle. Not every browser has `requestIdleCallback`. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window)
      window.requestIdleCallback(() => resolve(), { timeout: IDLE_WITHIN_MS });
    else setTimeout(resolve, 200);
  });
}
