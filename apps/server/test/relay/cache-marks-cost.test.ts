import { createMarkedCache } from "@gateway/demo/answer/marked-cache";
import { describe, expect, it } from "vitest";
import type { KnownPrompt } from "#domain/channels/selection/known-prompts.ts";
import { withMarks } from "#relay/chat/cache-marks/mark-body.ts";
import { placeMarks } from "#relay/chat/cache-marks/place-marks.ts";
import { piecesOf } from "#relay/chat/cache-marks/prompt-pieces.ts";
import { longSessions } from "../../bench/session/agent-sessions.ts";
import { bestCost } from "../../bench/session/best-marks.ts";

const SECONDS_BETWEEN_CALLS = 10;
/** At three characters per token, as the relay assumes. */
const MIN_SIZE = 3 * 1_024;

/** Returns the cost of a session's input with the gateway's marks, and without any, in tokens at the full price. */
function costOf(bodies: readonly Record<string, unknown>[]): { marked: number; full: number } {
  const cache = createMarkedCache();
  let known: KnownPrompt | undefined;
  let [marked, full] = [0, 0];
  for (const [at, body] of bodies.entries()) {
    const now = at * SECONDS_BETWEEN_CALLS * 1_000;
    const pieces = piecesOf(body);
    if (pieces === undefined) throw new Error("The body has marks already.");
    const placed = placeMarks(pieces, known, { now, target: "1", minSize: MIN_SIZE, isAgent: true });
    ({ known } = placed);
    const { input, read, written } = cache.take("one", withMarks(body, placed.marks), now);
    marked += input - read - written + 0.1 * read + 1.25 * written;
    full += input;
  }
  return { marked, full };
}

describe("the marks of a session of 60 turns", () => {
  it.each(Object.entries(longSessions()))(
    "cost at most a fifth of no marks, and 2 %% more than the best ones, where it is %s",
    (_name, bodies) => {
      const { marked, full } = costOf(bodies);
      expect(marked).toBeLessThan(0.2 * full);
      expect(marked).toBeLessThan(1.02 * bestCost(bodies));
    },
  );
});
