/**
 * Values as a row of the log can store them: text without characters that Postgres refuses, and within the width of their
 * columns. Nothing here throws: a log row must not make a settlement fail.
 */
import type { AttemptNote, Bill, LogSession, PausedChannel, SkippedChannel } from "@gateway/shared/usage/log";
import { storableText } from "#platform/database/storable-text.ts";

// A provider's message may be a whole page; people read this column.
const longestText = 4_000;
const longestName = 200;
/** Maximum length of a value in a fact, because a sentence includes it. */
export const longestFact = 300;

export const largestInt = 2_147_483_647;
export const largestSmallInt = 32_767;

export function clean(text: string, longest = longestText): string {
  return storableText(text, longest);
}

export function whole(value: number, largest: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(Math.round(value), 0), largest) : 0;
}

export function cleanSession({ id, agent, parent }: LogSession): LogSession {
  return {
    id: clean(id, longestName),
    ...(agent === undefined ? {} : { agent: clean(agent, longestName) }),
    ...(parent === undefined ? {} : { parent: clean(parent, longestName) }),
  };
}

export function cleanBill(bill: Bill): Bill {
  return { ...bill, lines: bill.lines.map((line) => ({ ...line, kind: clean(line.kind, 64) })) };
}

interface AttemptNotes {
  attempts: readonly AttemptNote[];
  paused?: readonly PausedChannel[];
  skipped?: readonly SkippedChannel[];
}

/** Returns the notes in the order in which their column has them. */
export function cleanAttempts({ attempts, paused = [], skipped = [] }: AttemptNotes): object[] {
  const notes: object[] = attempts.map((note) => ({
    ...note,
    channel_name: clean(note.channel_name),
    result: clean(note.result),
    message: clean(note.message),
    upstream_request_id: note.upstream_request_id && clean(note.upstream_request_id),
  }));
  for (const others of [paused, skipped])
    for (const note of others) notes.push({ ...note, channel_name: clean(note.channel_name) });
  return notes;
}
