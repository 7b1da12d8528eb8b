import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { type JsonBody, jsonBytes } from "#gateway/body/json-body.ts";
import { defineAccessors, longTextsOf, rememberLongTexts } from "#platform/memory/long-texts.ts";
import type { Secrets } from "#platform/secrets.ts";
import { summaryText } from "#relay/chat/context-edits.ts";

/**
 * A conversation that this gateway compacted is one item. Only this gateway can read it, and only for the
 * account that requested it. When sent back, it is replaced by its summary, for any upstream.
 */
const PREFIX = "gwc1.";
const types: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary"]);

export type Seal = Pick<Secrets, "encrypt" | "decrypt">;

const contextOf = (userId: number) => `compaction:${userId}`;

export function sealSummary(seal: Seal, userId: number, summary: string): string {
  return PREFIX + Buffer.from(seal.encrypt(summary, contextOf(userId))).toString("base64url");
}

/**
 * Returns the body with our items replaced by their summaries; the same object when it has none. Throws
 * `invalid_request`.
 */
export function openSummaries(seal: Seal, userId: number, json: JsonBody): JsonBody {
  const { input } = json.body;
  if (!Array.isArray(input) || !input.some(isOurs)) return json;
  const items = input.map((item: unknown, index) =>
    isOurs(item) ? openSummary(seal, userId, item, index) : item,
  );
  const body: Wire = { ...json.body, input: items };
  const long = longTextsOf(json.raw);
  const raw = jsonBytes(body, long);
  if (long !== undefined) {
    rememberLongTexts(raw, long);
    defineAccessors(body, long);
  }
  return { raw, body };
}

export function isOurs(item: unknown): item is Wire {
  const wire = asRecord(item);
  if (wire === undefined || !types.has(wire["type"])) return false;
  const content = wire["encrypted_content"];
  return typeof content === "string" && content.startsWith(PREFIX);
}

/** Returns the summary in an item of ours. Throws for an item that was changed, or of another account. */
export function unsealedText(seal: Seal, userId: number, item: Wire): string {
  const bytes = Buffer.from(String(item["encrypted_content"]).slice(PREFIX.length), "base64url");
  return seal.decrypt(bytes, contextOf(userId));
}

function openSummary(seal: Seal, userId: number, item: Wire, index: number): Wire {
  const field = `input.${index}.encrypted_content`;
  let summary: string;
  try {
    summary = unsealedText(seal, userId, item);
  } catch {
    throw invalidRequest({ reason: "compaction_unreadable", field }, { param: field });
  }
  return { type: "message", role: "user", content: [{ type: "input_text", text: summaryText(summary) }] };
}
