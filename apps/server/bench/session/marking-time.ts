/** How long the gateway takes to compare a large call of a session with the one before it, and to mark it. */
import type { KnownPrompt } from "#domain/channels/selection/known-prompts.ts";
import { readJson } from "#gateway/body/json-body.ts";
import { readings } from "#gateway/body/readings.ts";
import { withMarks } from "#relay/chat/cache-marks/mark-body.ts";
import { placeMarks } from "#relay/chat/cache-marks/place-marks.ts";
import { piecesOf } from "#relay/chat/cache-marks/prompt-pieces.ts";
import { textOf } from "./agent-sessions.ts";

const MEGABYTE = 1024 * 1024;
const TIMES = 500;

/** Returns the median time in milliseconds for a request of one megabyte, in messages of this size. */
export function measureMarking(messageBytes: number): number {
  const messages = Array.from({ length: Math.round(MEGABYTE / messageBytes) }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: textOf(`message ${at}`, messageBytes),
  }));
  const before = mark(read(messages.slice(0, -2)), undefined);
  const body = read(messages);
  const times = Array.from({ length: TIMES }, () => {
    const begun = performance.now();
    mark(body, before);
    return performance.now() - begun;
  });
  return times.sort((one, other) => one - other)[TIMES / 2] ?? 0;
}

/** Reads a request as the gateway does: long texts stay bytes. */
function read(messages: readonly object[]): Record<string, unknown> {
  const request = { model: "m", max_tokens: 300, messages };
  return readJson(Buffer.from(JSON.stringify(request)), readings.anthropic).body;
}

/** Marks a call of a session. Returns what is then known of it. */
function mark(body: Record<string, unknown>, before: KnownPrompt | undefined): KnownPrompt {
  const pieces = piecesOf(body);
  if (pieces === undefined) throw new Error("The request has marks.");
  const { marks, known } = placeMarks(pieces, before, { now: 0, target: "1", minSize: 0, isAgent: true });
  withMarks(body, marks);
  return known;
}
