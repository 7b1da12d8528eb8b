/** Messages responses with a compaction block, alone or before the model's own blocks. */
import { randomUUID } from "node:crypto";
import type { Wire } from "#dialects/dialect.ts";
import { createFrameSplitter, formatFrame } from "#dialects/stream/sse.ts";
import { asRecord, parseRecord } from "#dialects/wire.ts";
import type { Answer } from "#relay/core/call.ts";
import { streamText, tapText } from "#relay/core/response/text-stream.ts";
import type { Summary } from "./summarize.ts";

const blockOf = ({ text }: Summary): Wire => ({ type: "compaction", content: text, encrypted_content: null });

/** Returns the usage of the summary, which is not part of the totals. */
function iterationOf({ usage }: Summary): Wire {
  const { input_tokens: input, input_tokens_details: details, output_tokens: output } = asRecord(usage) ?? {};
  const cached = Number(asRecord(details)?.["cached_tokens"] ?? 0);
  return {
    type: "compaction",
    input_tokens: Math.max(0, Number(input ?? 0) - cached),
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: Number(output ?? 0),
  };
}

function blockEvents(summary: Summary): Wire[] {
  const { type, content, encrypted_content: encrypted } = blockOf(summary);
  const delta = { type: "compaction_delta", content, encrypted_content: encrypted };
  return [
    {
      type: "content_block_start",
      index: 0,
      content_block: { type, content: null, encrypted_content: null },
    },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
  ];
}

const format = (event: Wire) => formatFrame({ event: String(event["type"]), data: JSON.stringify(event) });

/** Returns a response that consists of the block. */
export function blockAnswer(summary: Summary, stream: boolean): Answer {
  const nothing = { input_tokens: 0, output_tokens: 0 };
  const usage = { ...nothing, iterations: [iterationOf(summary)] };
  const message = {
    id: `msg_${randomUUID().replaceAll("-", "")}`,
    type: "message",
    role: "assistant",
    model: summary.model,
    content: [blockOf(summary)],
    stop_reason: "compaction",
    stop_sequence: null,
    usage,
  };
  const { headers } = summary;
  if (!stream) return { kind: "body", headers, body: JSON.stringify(message) };
  const events: Wire[] = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage: nothing } },
    ...blockEvents(summary),
    { type: "message_delta", delta: { stop_reason: "compaction", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  const type = { "content-type": "text/event-stream; charset=utf-8" };
  return {
    kind: "stream",
    headers: { ...headers, ...type },
    stream: streamText(events.map(format).join("")),
  };
}

/** Returns a response with the block before its other blocks. */
export function withBlock(answer: Answer, summary: Summary): Answer {
  switch (answer.kind) {
    case "body":
      return { ...answer, body: inMessage(answer.body, summary) };
    case "stream": {
      const splitter = createFrameSplitter();
      const piece = (text: string) =>
        splitter
          .push(Buffer.from(text))
          .map(({ frame }) => inEvent(frame, summary))
          .join("");
      return { ...answer, stream: tapText(answer.stream, { piece }) };
    }
    case "bytes":
      return answer;
  }
}

function usageWith(usage: unknown, summary: Summary): Wire {
  const { iterations: _iterations, ...own } = asRecord(usage) ?? {};
  return { ...own, iterations: [iterationOf(summary), { type: "message", ...own }] };
}

function inMessage(text: string, summary: Summary): string {
  const message = parseRecord(text);
  if (message === undefined || !Array.isArray(message["content"])) return text;
  const content = [blockOf(summary), ...(message["content"] as unknown[])];
  return JSON.stringify({ ...message, content, usage: usageWith(message["usage"], summary) });
}

function inEvent(frame: { event: string | undefined; data: string }, summary: Summary): string {
  const event = parseRecord(frame.data);
  if (event === undefined) return formatFrame(frame);
  const { index } = event;
  switch (event["type"]) {
    case "message_start":
      return [event, ...blockEvents(summary)].map(format).join("");
    case "content_block_start":
    case "content_block_delta":
    case "content_block_stop":
      return format({ ...event, index: Number(index ?? 0) + 1 });
    case "message_delta":
      return format({ ...event, usage: usageWith(event["usage"], summary) });
    default:
      return formatFrame(frame);
  }
}
