/** Parses the messages of a response in any of the four dialects, complete, streamed or truncated. Pure. */
import {
  asArray,
  type MessagePart,
  parseJson,
  indentJson,
  asRecord,
  asText,
  type LoggedMessage,
  type Wire,
} from "./messages.ts";
import { geminiContent, mergeMessages, message, responsesItem } from "./read-request.ts";

/** Returns undefined when the response is not part of a conversation. */
export function readAnswerMessages(body: string): LoggedMessage[] | undefined {
  const whole = parseJson(body);
  if (whole !== undefined) return wholeAnswer(whole);
  const events = eventsOf(body);
  return events.length === 0 ? undefined : readEvents(events);
}

function wholeAnswer(value: unknown): LoggedMessage[] | undefined {
  // Gemini streams a JSON array unless alt=sse is requested.
  if (Array.isArray(value)) return readEvents(value.map(asRecord));
  const answer = asRecord(value);
  if ("error" in answer && answer["error"] !== null) return [failure(answer["error"])];
  if (Array.isArray(answer["choices"]))
    return answer["choices"].map((choice) => message(asRecord(choice)["message"]));
  if (Array.isArray(answer["candidates"]))
    return answer["candidates"].map((candidate) => ({
      ...geminiContent(asRecord(candidate)["content"]),
      role: "assistant",
    }));
  if (Array.isArray(answer["output"])) return mergeMessages(answer["output"].map(responsesItem));
  if (answer["type"] === "message") return [message(answer)];
  return undefined;
}

function failure(error: unknown): LoggedMessage {
  const { message: sentence } = asRecord(error);
  return {
    role: "assistant",
    parts: [{ type: "error", text: asText(sentence) || indentJson(JSON.stringify(error)) }],
  };
}

/** Returns the data of each event, without a truncated last one. */
function eventsOf(stream: string): Wire[] {
  return stream
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5))
        .join("\n"),
    )
    .flatMap((data) => {
      const value = parseJson(data);
      return typeof value === "object" && value !== null ? [asRecord(value)] : [];
    });
}

/** Returns the index of a part; 0 without one, because then there is only one part. */
function indexOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Parts of a streamed response, by their position. */
type Growing = Map<string, MessagePart>;

function grow(parts: Growing, place: string, type: "text" | "reasoning", more: unknown): void {
  if (asText(more) === "") return;
  const part = parts.get(`${place}:${type}`);
  if (part?.type === type) part.text += asText(more);
  else parts.set(`${place}:${type}`, { type, text: asText(more) });
}

function growCall(parts: Growing, place: string, name: unknown, more: unknown): void {
  const part = parts.get(place);
  if (part?.type === "tool-call") {
    part.name ||= asText(name);
    part.input += asText(more);
  } else parts.set(place, { type: "tool-call", name: asText(name), input: asText(more) });
}

function readEvents(events: Wire[]): LoggedMessage[] {
  // The last event of a response contains all of it.
  const end = events.find((event) => /^response\.(completed|incomplete|failed)$/.test(asText(event["type"])));
  const output = asArray(asRecord(end?.["response"])["output"]);
  if (output.length > 0) return mergeMessages(output.map(responsesItem));
  const parts: Growing = new Map();
  for (const event of events) {
    if ("error" in event && event["error"] !== null) {
      const [part] = failure(event["error"]).parts;
      if (part) parts.set("error", part);
    } else if (typeof event["type"] === "string") typedEvent(parts, event);
    else if (Array.isArray(event["choices"]))
      for (const choice of event["choices"]) chatDelta(parts, asRecord(choice));
    else for (const candidate of asArray(event["candidates"])) geminiDelta(parts, asRecord(candidate));
  }
  const read = [...parts.values()].map((part): MessagePart =>
    part.type === "tool-call" ? { ...part, input: indentJson(part.input) } : part,
  );
  return read.length === 0 ? [] : [{ role: "assistant", parts: read }];
}

function chatDelta(parts: Growing, choice: Wire): void {
  const delta = asRecord(choice["delta"]);
  const place = `choice ${indexOf(choice["index"])}`;
  grow(parts, place, "reasoning", delta["reasoning_content"] ?? delta["reasoning"]);
  grow(parts, place, "text", delta["content"] ?? delta["refusal"]);
  for (const call of asArray(delta["tool_calls"]).map(asRecord)) {
    const { name, arguments: input } = asRecord(call["function"]);
    growCall(parts, `${place} call ${indexOf(call["index"])}`, name, input);
  }
}

function geminiDelta(parts: Growing, candidate: Wire): void {
  const place = `candidate ${indexOf(candidate["index"])}`;
  for (const part of geminiContent(candidate["content"]).parts) {
    if (part.type === "text" || part.type === "reasoning") grow(parts, place, part.type, part.text);
    else parts.set(`${place} ${parts.size}`, part);
  }
}

/** Adds an event of Anthropic or of the Responses API. */
function typedEvent(parts: Growing, event: Wire): void {
  const place = `block ${indexOf(event["index"] ?? event["output_index"])}`;
  const delta = asRecord(event["delta"]);
  switch (event["type"]) {
    case "content_block_start": {
      const block = asRecord(event["content_block"]);
      if (asText(block["type"]).endsWith("tool_use")) growCall(parts, place, block["name"], "");
      return;
    }
    case "content_block_delta":
      grow(parts, place, "text", delta["text"]);
      grow(parts, place, "reasoning", delta["thinking"]);
      if (delta["type"] === "input_json_delta") growCall(parts, place, "", delta["partial_json"]);
      return;
    case "response.output_item.added": {
      const item = asRecord(event["item"]);
      if (item["type"] === "function_call") growCall(parts, place, item["name"], "");
      return;
    }
    case "response.output_text.delta":
      return grow(parts, place, "text", event["delta"]);
    case "response.reasoning_summary_text.delta":
      return grow(parts, place, "reasoning", event["delta"]);
    case "response.function_call_arguments.delta":
      return growCall(parts, place, "", event["delta"]);
  }
}
