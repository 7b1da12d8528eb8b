/** Whether the server is reachable, by the browser's network state and the results of the last requests. */
import { useSyncExternalStore } from "react";
import { phrase } from "#lib/i18n.ts";

/** `unreachable`: the network works, but the server does not respond. */
export type Reachability = "reached" | "offline" | "unreachable";

/** The message of a request without a response. */
export const unreachable = phrase(
  "Unable to connect to the server properly! Check your connection and try again.",
);

const FIRST_CHECK_MS = 2_000;
const LONGEST_CHECK_MS = 15_000;
const CHECK_TIMEOUT_MS = 10_000;

let reach: Reachability = "reached";
let pause = FIRST_CHECK_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<(reach: Reachability) => void>();

function become(next: Reachability): void {
  if (next === reach) return;
  reach = next;
  for (const listener of listeners) listener(reach);
}

/** Records that a request got a response. */
export function reportReachable(): void {
  clearTimeout(timer);
  timer = undefined;
  pause = FIRST_CHECK_MS;
  become("reached");
}

/** Records that a request got no response. The server is then polled until it responds. */
export function reportUnreachable(): void {
  become(navigator.onLine ? "unreachable" : "offline");
  timer ??= setTimeout(() => void check(), pause);
}

async function check(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  pause = Math.min(LONGEST_CHECK_MS, pause * 2);
  if (await isReachable("api/health")) reportReachable();
  else reportUnreachable();
}

/** Returns whether the server responds at this path below the base path. */
export async function isReachable(path: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const response = await fetch(new URL(path, document.baseURI), { cache: "no-store", signal });
    return !isGatewayFailure(response.status);
  } catch {
    return false;
  }
}

/** Returns whether a proxy sends this status while the server behind it is unavailable. */
export function isGatewayFailure(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

// Unit tests of pure functions have no window.
if (typeof window !== "undefined") {
  window.addEventListener("offline", reportUnreachable);
  window.addEventListener("online", () => void check());
}

/** Calls the listener on every change. Returns a function that unsubscribes. */
export function onReachabilityChange(listener: (reach: Reachability) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useReachability(): Reachability {
  return useSyncExternalStore(onReachabilityChange, () => reach);
}
