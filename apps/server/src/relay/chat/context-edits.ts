/**
 * The context management of Messages for upstreams without it: old tool results and thinking are cleared, and
 * a compaction block replaces everything before it.
 * https://platform.claude.com/docs/en/build-with-claude/context-editing, read 2026-11-25. Pure.
 */
import type { ChatRequest, Message, Part } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";
import { tokensOf } from "#domain/pricing/estimate.ts";
import { addTo } from "#relay/core/billing/tally-text.ts";

const CLEARED = "[The result of this tool call was cleared to save context.]";
const INTRODUCTION =
  "This conversation was compacted. The summary below replaces everything before it. Continue from here.";
const TRIGGER_TOKENS = 100_000;
const KEPT_CALLS = 3;
const types = {
  tools: "clear_tool_uses_20250919",
  thinking: "clear_thinking_20251015",
  compaction: "compact_20260112",
} as const;
const handled: ReadonlySet<unknown> = new Set(Object.values(types));

type Edit = Record<string, unknown>;

/** Returns the edits of a type that a request names. */
export function editsIn(fields: unknown): readonly Edit[] {
  const edits = asRecord(asRecord(fields)?.["context_management"])?.["edits"];
  if (!Array.isArray(edits)) return [];
  return edits.map((edit: unknown) => asRecord(edit)).filter((edit) => edit !== undefined);
}

/** Returns the edit that compacts the conversation above a number of tokens. */
export function compactionEdit(fields: unknown): Edit | undefined {
  return editsIn(fields).find(({ type }) => type === types.compaction);
}

/** Returns the request with its edits applied and removed; the same object if it has none. */
export function withContextEdits(request: ChatRequest): ChatRequest {
  const messages = withSummary(request.messages);
  const { extra } = request;
  if (extra?.dialect !== "anthropic" || extra.fields["context_management"] === undefined)
    return messages === request.messages ? request : { ...request, messages };
  const edits = editsIn(extra.fields);
  const { context_management: management, compaction: _compaction, ...fields } = extra.fields;
  const others = edits.filter(({ type }) => !handled.has(type));
  if (others.length > 0) fields["context_management"] = { ...asRecord(management), edits: others };
  let edited = messages;
  const thinking = edits.find(({ type }) => type === types.thinking);
  if (thinking !== undefined) edited = withoutThinking(edited, thinking);
  const tools = edits.find(({ type }) => type === types.tools);
  if (tools !== undefined) edited = withoutResults(edited, tools);
  return { ...request, messages: edited, extra: { ...extra, fields } };
}

/** Returns the text that replaces the summarized part of a conversation. */
export const summaryText = (summary: string) => `${INTRODUCTION}\n\n${summary}`;

/** Returns the summary as the message that begins the rest of the conversation. */
export function summaryMessage(summary: string): Message {
  return { role: "user", parts: [{ type: "text", text: summaryText(summary) }] };
}

export const isInstruction = ({ role }: Message) => role === "system" || role === "developer";

/** Estimates the tokens of the messages, as a provider would count them. */
export function tokensIn(messages: readonly Message[]): number {
  const tally = { narrow: 0, wide: 0 };
  const add = (part: Part): void => {
    if (part.type === "text" || part.type === "reasoning" || part.type === "refusal") addTo(tally, part.text);
    else if (part.type === "tool-call") addTo(tally, part.name + part.input);
    else if (part.type === "tool-result") part.parts.forEach(add);
  };
  for (const { parts } of messages) parts.forEach(add);
  return tokensOf(tally);
}

const isCompaction = (part: Part) =>
  part.type === "foreign" && part.extra.dialect === "anthropic" && part.extra.fields["type"] === "compaction";

function summaryIn(part: Part): string {
  const content = part.type === "foreign" ? part.extra.fields["content"] : undefined;
  return isCompaction(part) && typeof content === "string" ? content : "";
}

/** Replaces everything before the last compaction block by its summary. A block without one has no effect. */
function withSummary(messages: Message[]): Message[] {
  if (!messages.some(({ parts }) => parts.some(isCompaction))) return messages;
  const last = messages.findLastIndex(({ parts }) => parts.some((part) => summaryIn(part) !== ""));
  const rest = (message: Message, from = 0): Message[] => {
    const parts = message.parts.slice(from).filter((part) => !isCompaction(part));
    return parts.length === 0 ? [] : [{ ...message, parts }];
  };
  const holder = messages[last];
  if (holder === undefined) return messages.flatMap((message) => rest(message));
  const at = holder.parts.findLastIndex((part) => summaryIn(part) !== "");
  const block = holder.parts[at];
  return [
    ...messages.slice(0, last).filter(isInstruction),
    summaryMessage(block === undefined ? "" : summaryIn(block)),
    ...rest(holder, at + 1),
    ...messages.slice(last + 1).flatMap((message) => rest(message)),
  ];
}

/** Removes the thinking of all but the latest turns. A turn ends with the next message of the user. */
function withoutThinking(messages: Message[], { keep }: Edit): Message[] {
  const turns = keep === undefined ? 1 : asRecord(keep)?.["value"];
  if (typeof turns !== "number") return messages;
  let left = turns;
  let isInTurn = false;
  const kept: Message[] = [];
  for (const message of messages.toReversed()) {
    if (message.role === "user") isInTurn = false;
    const thinks = message.role === "assistant" && message.parts.some(({ type }) => type === "reasoning");
    if (thinks && !isInTurn) {
      left -= 1;
      isInTurn = true;
    }
    const parts =
      thinks && left < 0 ? message.parts.filter(({ type }) => type !== "reasoning") : message.parts;
    if (parts.length > 0) kept.push(parts === message.parts ? message : { ...message, parts });
  }
  return kept.toReversed();
}

function numberIn(value: unknown, usual: number): number {
  const found = asRecord(value)?.["value"];
  return typeof found === "number" ? found : usual;
}

const namesIn = (value: unknown): ReadonlySet<unknown> => new Set(Array.isArray(value) ? value : []);

/** Replaces the results of all but the latest calls by a note, when the trigger is reached. */
function withoutResults(messages: Message[], edit: Edit): Message[] {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-call"));
  const trigger = asRecord(edit["trigger"]);
  const isReached =
    trigger?.["type"] === "tool_uses"
      ? calls.length > numberIn(trigger, Number.POSITIVE_INFINITY)
      : tokensIn(messages) > numberIn(trigger, TRIGGER_TOKENS);
  if (!isReached) return messages;
  const spared = namesIn(edit["exclude_tools"]);
  const old = calls.slice(0, Math.max(0, calls.length - numberIn(edit["keep"], KEPT_CALLS)));
  const cleared = new Set(old.filter(({ name }) => !spared.has(name)).map(({ id }) => id));
  const inputs = edit["clear_tool_inputs"];
  const clearsInput = (name: string) => inputs === true || namesIn(inputs).has(name);
  const edited = messages.map<Message>((message) => ({
    ...message,
    parts: message.parts.map<Part>((part) => {
      if (part.type === "tool-result" && cleared.has(part.callId))
        return { ...part, parts: [{ type: "text", text: CLEARED }] };
      if (part.type === "tool-call" && cleared.has(part.id) && clearsInput(part.name))
        return { ...part, input: "{}" };
      return part;
    }),
  }));
  const least = asRecord(edit["clear_at_least"]);
  const isWorth = least === undefined || tokensIn(messages) - tokensIn(edited) >= numberIn(least, 0);
  return isWorth ? edited : messages;
}
