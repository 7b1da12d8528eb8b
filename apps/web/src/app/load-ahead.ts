/**
 * Preloads screens: the code of all menu screens while the
 * browser is idle, and the data of a screen on hover.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { isMissingCode } from "#lib/errors/missing-code.ts";
import { loadNamespaces } from "#lib/i18n.ts";
import { isSavingData, whenIdle } from "#lib/idle.ts";
import { selfQuery, useSelf } from "#lib/session.ts";
import { itemsIn, visibleMenu } from "./menu/menu.ts";
import { type Screen, screenById } from "./screens.ts";

/** Delay that lets the opened screen and its data load first, in milliseconds. */
const FIRST_AFTER_MS = 2_000;

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

/**
 * Loads the code, messages and first rows of a screen.
 * Failures are ignored: opening the screen loads it again.
 */
export async function loadAhead(screen: Screen, client: QueryClient): Promise<void> {
  if (isSavingData()) return;
  try {
    const [page] = await Promise.all([screen.load(), loadNamespaces(...screen.namespaces)]);
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
  const isSignedIn = self !== undefined && self !== null;
  useEffect(() => {
    if (!isSignedIn || isSavingData()) return;
    let stopped = false;
    async function loadAll() {
      const rights = client.getQueryData(selfQuery.queryKey);
      if (!rights) return;
      const items = visibleMenu(rights).flatMap(itemsIn);
      for (const { load, namespaces } of items.flatMap(({ id }) => screenById(id) ?? [])) {
        await whenIdle();
        if (stopped) return;
        await Promise.all([load(), loadNamespaces(...namespaces)]).catch((error: unknown) =>
          noteMissing(load, error),
        );
      }
    }
    const timer = setTimeout(() => void loadAll().catch(() => {}), FIRST_AFTER_MS);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [isSignedIn, client]);
}
