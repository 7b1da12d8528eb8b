/**
 * The pieces of a prompt between which a provider's cache can end: the tools, the system prompt, each message. A
 * provider caches a prompt by its beginning, so each piece is known by a checksum of everything up to its end.
 */
import { crc32 } from "node:zlib";
import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { longTextOf } from "#platform/memory/long-texts.ts";

export interface PromptPieces {
  /** Checksum of the prompt up to the end of each piece. */
  readonly checksums: readonly number[];
  /** Size of the prompt up to the end of each piece, in characters; long texts in bytes. */
  readonly sizes: readonly number[];
}

/** Pieces before the first message: the tools and the system prompt. Empty ones count as well. */
export const FIXED_PIECES = 2;

interface Sum {
  checksum: number;
  size: number;
  /** The client has placed a mark itself. */
  isMarked: boolean;
}

const MARK = "cache_control";

/**
 * Returns the pieces of a body of Messages or Chat Completions; undefined when it contains marks already. Only a
 * checksum, because it decides nothing but the place of a mark: a wrong one costs the price of one cache write. A text
 * that the parser keeps as bytes has another checksum than the same text in a body below that size.
 */
export function piecesOf(body: Wire): PromptPieces | undefined {
  const { messages } = body;
  if (!Array.isArray(messages) || MARK in body) return undefined;
  const sum: Sum = { checksum: 0, size: 0, isMarked: false };
  const checksums: number[] = [];
  const sizes: number[] = [];
  const first = firstMessage(body);
  const system = body["system"] ?? (messages as unknown[]).slice(0, first);
  for (const piece of [body["tools"], system, ...(messages as unknown[]).slice(first)]) {
    if (piece !== undefined) add(sum, piece);
    if (sum.isMarked) return undefined;
    checksums.push(sum.checksum);
    sizes.push(sum.size);
  }
  return { checksums, sizes };
}

/** Returns the index of the first message after the system prompt, which is a message in Chat Completions. */
export function firstMessage({ system, messages }: Wire): number {
  if (system !== undefined || !Array.isArray(messages)) return 0;
  const isSystem = (role: unknown) => role === "system" || role === "developer";
  const first = messages.findIndex((message: unknown) => !isSystem(asRecord(message)?.["role"]));
  return first < 0 ? messages.length : first;
}

function add(sum: Sum, value: unknown): void {
  if (typeof value === "string") addText(sum, value);
  else if (typeof value !== "object" || value === null) addText(sum, String(value));
  else if (Array.isArray(value)) {
    addText(sum, "[");
    for (const each of value) add(sum, each);
  } else {
    addText(sum, "{");
    for (const name in value) {
      if (name === MARK) sum.isMarked = true;
      addText(sum, name);
      const long = longTextOf(value, name);
      if (long === undefined) add(sum, asRecord(value)?.[name]);
      else {
        sum.checksum = crc32(long.bytes, sum.checksum);
        sum.size += long.bytes.length;
      }
    }
  }
}

function addText(sum: Sum, text: string): void {
  // The length keeps two texts apart from the same characters as one text.
  sum.checksum = crc32(text, (sum.checksum ^ text.length) >>> 0);
  sum.size += text.length;
}
