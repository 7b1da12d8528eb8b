/** Whether the server can be reached: the browser's own state, and how the last requests ended. */
import { useSyncExternalStore } from "react";

/** `unreachable`: there is a network, but no answer from the server. */
export type Reach = "reached" | "offline" | "unreachable";

const FIRST_CHECK_MS = 2_000;
const LONGEST_CHECK_MS = 15_000;
const CHECK_TIMEOUT_MS = 10_000;

let reach: Reach = "reached";
let pause = FIRST_CHECK_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<(reach: Reach) => void>();

function become(next: Reach): void {
  if (next === reach) return;
  reach = next;
  for (const listener of listeners) listener(reach);
}

/** A request was answered. */
export function noteReached(): void {
  clearTimeout(timer);
  timer = undefined;
  pause = FIRST_CHECK_MS;
  become("reached");
}

/** A request had no answer. From now on the server is checked until it answers. */
export function noteUnreachable(): void {
  become(navigator.onLine ? "unreachable" : "offline");
  timer ??= setTimeout(() => void check(), pause);
}

async function check(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  pause = Math.min(LONGEST_CHECK_MS, pause * 2);
  if (await answers("api/health")) noteReached();
  else noteUnreachable();
}

/** Whether the server answers at this address, below the base path. */
export async function answers(path: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const response = await fetch(new URL(path, document.baseURI), { cache: "no-store", signal });
    return !isGatewayFailure(response.status);
  } catch {
    return false;
  }
}

/** What a proxy answers while the server behind it is away. */
export function isGatewayFailure(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

// Pure parts are tested without a page.
if (typeof window !== "undefined") {
  window.addEventListener("offline", noteUnreachable);
  window.addEventListener("online", () => void check());
}

/** Calls back on every change. Returns how to stop. */
export function onReachChange(listener: (reach: Reach) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isReached(): boolean {
  return reach === "reached";
}

export function useReach(): Reach {
  return useSyncExternalStore(onReachChange, () => reach);
}
