/** Rates the speed of a call. Pure. */
import type { LogRow } from "@gateway/shared/usage/log";
import { phrasesIn } from "#lib/i18n.ts";
import type { Tone } from "#ui/status-dot.tsx";

const phrase = phrasesIn("logs");

export type Pace = { tone: Tone; text: string };

const fast: Pace = { tone: "good", text: phrase("Fast") };
const fair: Pace = { tone: "accent", text: phrase("Fair") };
const slow: Pace = { tone: "warn", text: phrase("Slow") };
const verySlow: Pace = { tone: "bad", text: phrase("Very slow") };

/** @param ms from the request to the end of the response */
export function rateDuration(ms: number): Pace {
  if (ms <= 10_000) return fast;
  if (ms <= 50_000) return fair;
  return ms <= 100_000 ? slow : verySlow;
}

/** The speed of a shorter stream is meaningless. */
const shortestStreamMs = 100;

/** Returns output tokens per second after the first byte; null when unknown. */
export function tokensPerSecond(row: LogRow): number | null {
  const streamingMs = row.request_time - row.first_byte_time;
  if (!row.is_stream || row.first_byte_time <= 0 || row.completion_tokens <= 0) return null;
  return streamingMs < shortestStreamMs ? null : (row.completion_tokens / streamingMs) * 1000;
}

export function rateThroughput(perSecond: number): Pace {
  if (perSecond > 20) return fast;
  if (perSecond > 15) return fair;
  return perSecond > 10 ? slow : verySlow;
}
