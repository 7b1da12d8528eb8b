/** The user's recently opened palette entries, newest first. Kept in this browser until sign-out. */
import { readStorage, writeStorage } from "#lib/browser-storage.ts";

export type Recent = { to: string; label: string };

const most = 5;
const keyOf = (userId: number) => `recent:${userId}`;

export function recentOf(userId: number): Recent[] {
  try {
    const stored: unknown = JSON.parse(readStorage(keyOf(userId)) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isRecent).slice(0, most) : [];
  } catch {
    return [];
  }
}

/** Moves the entry to the front. */
export function remember(userId: number, opened: Recent): void {
  const others = recentOf(userId).filter((one) => one.to !== opened.to);
  writeStorage(keyOf(userId), JSON.stringify([opened, ...others].slice(0, most)));
}

function isRecent(value: unknown): value is Recent {
  return (
    typeof value === "object" &&
    value !== null &&
    "to" in value &&
    typeof value.to === "string" &&
    value.to.startsWith("/panel/") &&
    "label" in value &&
    typeof value.label === "string"
  );
}
