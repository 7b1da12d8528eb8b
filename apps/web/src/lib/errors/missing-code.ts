/** Recovery from code that failed to load, mostly because a new version was deployed. */
import { hasLeaveGuard } from "#lib/address/history.ts";
import { writeStorage, readStorage } from "#lib/browser-storage.ts";
import { isReachable } from "#lib/live/connection.ts";

const storageKey = "reloadedAt";
/** A second failure within this time is not solved by another reload. */
const ONCE_WITHIN_MS = 60_000;

const missing = new WeakSet<object>();

// https://vite.dev/guide/build#load-error-handling: scripts and style sheets that were not found.
if (typeof window !== "undefined")
  window.addEventListener("vite:preloadError", ({ payload }) => missing.add(payload));

export function isMissingCode(error: unknown): boolean {
  return typeof error === "object" && error !== null && missing.has(error);
}

/**
 * Reloads the page to get the new version. Resolves to false without a reload when it reloaded a moment ago,
 * the server does not respond, or a form has unsaved changes.
 */
export async function reloadOnce(): Promise<boolean> {
  const last = Number(readStorage(storageKey, "sessionStorage") ?? 0);
  if (Date.now() - last < ONCE_WITHIN_MS || hasLeaveGuard()) return false;
  if (!(await isReachable("favicon.svg"))) return false;
  const now = String(Date.now());
  writeStorage(storageKey, now, "sessionStorage");
  // Without storage the page would reload again and again.
  if (readStorage(storageKey, "sessionStorage") !== now) return false;
  window.location.reload();
  return true;
}
