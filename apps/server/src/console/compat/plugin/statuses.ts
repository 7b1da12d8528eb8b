import type { CompatRoute, CompatOutcome } from "./route.ts";

/** Internal failures. They keep their status, so that no caller takes them for a result. */
const ours: ReadonlySet<string> = new Set(["internal", "unavailable", "shutting_down"]);

/**
 * Returns the HTTP status that One Hub sends where version 2 sends `status`: 200 for nearly every refusal.
 */
export function toOneHubStatus(
  route: CompatRoute,
  { isRoute, ...refusal }: CompatOutcome & { isRoute: boolean },
): number {
  const { status, code } = refusal;
  if (status < 400) return status === 200 ? (route.succeeds ?? 200) : status;
  if (!isRoute || code === "unauthenticated" || status === 429 || ours.has(code)) return status;
  return route.refuses?.(refusal) ?? 200;
}
