import type { Wire } from "#dialects/dialect.ts";
import { createFrameSplitter, formatFrame } from "#dialects/stream/sse.ts";
import { asRecord, parseRecord } from "#dialects/wire.ts";
import { GatewayError } from "#errors.ts";
import { admit } from "#gateway/access/admit.ts";
import { type JsonBody, jsonBytes } from "#gateway/body/json-body.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { defineAccessors, longTextsOf, rememberLongTexts } from "#platform/memory/long-texts.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { relayChat } from "#relay/chat/chat.ts";
import { isInstruction, summaryMessage, tokensIn } from "#relay/chat/context-edits.ts";
import type { Answer } from "#relay/core/call.ts";
import { tapText } from "#relay/core/response/text-stream.ts";
import { allSpeakResponses } from "#relay/core/routing/price-options.ts";
import { isOurs, unsealedText } from "./seal.ts";
import { type CompactionResult, summarize } from "./summarize.ts";
import { summaryCallOf } from "./trigger.ts";

/**
 * Compaction of Responses above a number of tokens (`context_management`), by the model of the call, where a
 * provider of the model does not speak Responses. The response begins with a compaction item.
 * https://developers.openai.com/api/docs/guides/compaction, read 2026-11-25.
 */
const DEFAULT_TOKENS = 200_000;

/** Returns the tokens above which the conversation is compacted; undefined when the request names none. */
export function thresholdIn(body: Wire): number | undefined {
  const entries = body["context_management"];
  if (!Array.isArray(entries)) return undefined;
  const entry = entries
    .map((given: unknown) => asRecord(given))
    .find((given) => given?.["type"] === "compaction");
  if (entry === undefined) return undefined;
  const { compact_threshold: tokens } = entry;
  return typeof tokens === "number" && tokens > 0 ? tokens : DEFAULT_TOKENS;
}

/**
 * Returns the body without the items that our last compaction item replaces. Clients of this mode may send
 * them again.
 */
export function afterCompaction(json: JsonBody): JsonBody {
  const { input } = json.body;
  if (!Array.isArray(input)) return json;
  const last = input.findLastIndex(isOurs);
  const kept = input.filter((item: unknown, index) => index >= last || isContext(item));
  return kept.length === input.length ? json : withBody(json, { ...json.body, input: kept });
}

/** Instructions and tools are not part of a summary. */
function isContext(item: unknown): boolean {
  const { type, role } = asRecord(item) ?? {};
  return role === "system" || role === "developer" || type === "additional_tools";
}

function withBody({ raw }: JsonBody, body: Wire): JsonBody {
  const long = longTextsOf(raw);
  const bytes = jsonBytes(body, long);
  if (long !== undefined) {
    rememberLongTexts(bytes, long);
    defineAccessors(body, long);
  }
  return { raw: bytes, body };
}

/** Returns the response of a call whose conversation is compacted above this number of tokens. */
export async function compactingAbove(
  services: GatewayServices,
  call: ChatCall,
  tokens: number,
): Promise<Answer> {
  const { relay } = services;
  const { group, backupGroup } = call.caller;
  const channels = [group, ...(backupGroup === "" ? [] : [backupGroup])].flatMap((symbol) =>
    relay.candidates.find(symbol, call.model),
  );
  if (allSpeakResponses(channels, call.model)) return relayChat(relay, call);
  const whole = withoutField(call);
  if (tokensIn(call.request.messages) <= tokens) return relayChat(relay, whole);
  let made: CompactionResult;
  try {
    const { call: admitted } = await admit(services, summaryCallOf(services, whole));
    made = await summarize(services, services.secrets, admitted);
  } catch (error) {
    // The provider may still be able to answer the whole conversation.
    if (!(error instanceof GatewayError) || error.code !== "upstream_failed") {
      // The call ends here, so nothing else gives back the tokens that it was admitted with.
      call.used?.(0);
      throw error;
    }
    return relayChat(relay, whole);
  }
  const { item } = made;
  const summary = unsealedText(services.secrets, call.caller.userId, item);
  const messages = [...whole.request.messages.filter(isInstruction), summaryMessage(summary)];
  const { finished } = call;
  const answer = await relayChat(relay, {
    ...whole,
    request: { ...whole.request, messages },
    rewritten: true,
    stateful: true,
    ...(finished === undefined ? {} : { finished: (end, chosen) => finished(inEnd(end, item), chosen) }),
  });
  return withItem(answer, item);
}

/** A provider could reject the field, or compact once more. */
function withoutField(call: ChatCall): ChatCall {
  const { context_management: _management, ...body } = call.body;
  const { extra } = call.request;
  const { context_management: _extra, ...fields } = extra?.fields ?? {};
  const request = extra === undefined ? call.request : { ...call.request, extra: { ...extra, fields } };
  return { ...call, ...withBody({ raw: call.raw, body }, body), request };
}

function withItem(answer: Answer, item: Wire): Answer {
  switch (answer.kind) {
    case "body":
      return { ...answer, body: inEnd(answer.body, item) };
    case "stream": {
      const splitter = createFrameSplitter();
      const edit = openEvents(item);
      const piece = (text: string) =>
        splitter
          .push(Buffer.from(text))
          .map(({ frame }) => edit(frame))
          .join("");
      return { ...answer, stream: tapText(answer.stream, { piece }) };
    }
    case "bytes":
      return answer;
  }
}

function withOutput(response: Wire, item: Wire): Wire {
  const { output } = response;
  return Array.isArray(output) ? { ...response, output: [item, ...(output as unknown[])] } : response;
}

/** Adds the item to a body, or to the events that complete a stream. */
function inEnd(end: string, item: Wire): string {
  const body = end.startsWith("{") ? parseRecord(end) : undefined;
  if (body !== undefined) return JSON.stringify(withOutput(body, item));
  const frames = createFrameSplitter().push(Buffer.from(end));
  return frames
    .map(({ frame }) => formatFrame({ ...frame, data: withCompaction(frame.data, item) }))
    .join("");
}

function withCompaction(data: string, item: Wire): string {
  const event = parseRecord(data);
  const response = asRecord(event?.["response"]);
  if (event === undefined || response === undefined) return data;
  return JSON.stringify({ ...event, response: withOutput(response, item) });
}

const format = (event: Wire) => formatFrame({ event: String(event["type"]), data: JSON.stringify(event) });
const ends: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Returns an editor of events that puts the item before the others. */
function openEvents(item: Wire): (frame: { event: string | undefined; data: string }) => string {
  let added = 0;
  return (frame) => {
    const event = parseRecord(frame.data);
    if (event === undefined) return formatFrame(frame);
    const { type, sequence_number: number, output_index: index, response } = event;
    let text = "";
    const isContent = index !== undefined || ends.has(type);
    if (isContent && added === 0) {
      for (const kind of ["response.output_item.added", "response.output_item.done"]) {
        const sequence = typeof number === "number" ? { sequence_number: number + added } : {};
        text += format({ type: kind, ...sequence, output_index: 0, item });
        added += 1;
      }
    }
    const inner = ends.has(type) ? asRecord(response) : undefined;
    return (
      text +
      format({
        ...event,
        ...(typeof number === "number" && { sequence_number: number + added }),
        ...(typeof index === "number" && { output_index: index + 1 }),
        ...(inner !== undefined && { response: withOutput(inner, item) }),
      })
    );
  };
}
