import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { LiveState } from "#lib/channel-hours.ts";
import { phrasesIn } from "#lib/i18n.ts";
import type { Tone } from "#ui/status-dot.tsx";

const phrase = phrasesIn("channels");

/** Returns the label and colour of a channel's status. English; translate when displayed. */
export function statusOf(status: number): { word: string; tone: Tone } {
  switch (status) {
    case ChannelStatus.enabled:
      return { word: phrase("Enabled"), tone: "good" };
    case ChannelStatus.disabled:
      return { word: phrase("Disabled"), tone: "idle" };
    case ChannelStatus.autoDisabled:
      return { word: phrase("Auto-disabled"), tone: "bad" };
    default:
      return { word: phrase("Unknown"), tone: "idle" };
  }
}

/** Label and colour of an enabled channel. English; translate when displayed. */
export const liveStates: Readonly<Record<LiveState, { word: string; tone: Tone }>> = {
  "no-calls": { word: phrase("No calls"), tone: "idle" },
  healthy: { word: phrase("Healthy"), tone: "good" },
  "some-errors": { word: phrase("Some errors"), tone: "warn" },
  failing: { word: phrase("Failing"), tone: "bad" },
};

export const statusChoices = [
  ChannelStatus.enabled,
  ChannelStatus.disabled,
  ChannelStatus.autoDisabled,
] as const;

/**
 * Rates a response time.
 * @param ms 0 or less: never tested
 */
export function speedOf(ms: number): { word: string; color: string } {
  if (ms <= 0) return { word: phrase("Not tested"), color: "dimmed" };
  if (ms <= 1_000) return { word: phrase("Fast"), color: "green" };
  if (ms <= 3_000) return { word: phrase("Good"), color: "iris" };
  if (ms <= 5_000) return { word: phrase("Slow"), color: "amber" };
  return { word: phrase("Very slow"), color: "red" };
}

const pauseReasons = lookupTable<string>({
  auth: phrase("The provider refuses the key"),
  quota: phrase("The account at the provider has no balance"),
  "not-found": phrase("The provider does not have the model"),
  "rate-limited": phrase("The provider's rate limit is reached"),
  overloaded: phrase("The provider is overloaded"),
  server: phrase("The provider returned an error"),
  timeout: phrase("The provider did not respond in time"),
  network: phrase("The provider cannot be reached"),
  "key-unavailable": phrase("The key cannot be read from where it is stored"),
  circuit: phrase("Circuit breaker open: too many calls failed"),
  probing: phrase("Circuit breaker half open: too many calls failed"),
});

/** Returns why a model is paused. English; translate when displayed. */
export function pauseReason(reason: string): string {
  return pauseReasons[reason] ?? reason;
}
