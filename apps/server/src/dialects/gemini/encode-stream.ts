import type { StreamEncoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent, ChatRequest, FinishReason, Part } from "#dialects/ir.ts";
import { compact } from "#dialects/wire.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { encodeCitations, encodeFinish, encodePart } from "./response.ts";
import { encodeUsage } from "./usage.ts";

type ToolCallPart = Extract<Part, { type: "tool-call" }>;

/**
 * Encodes chunks, as events or as the elements of one array. A call is sent when its input is complete,
 * because this API has no partial calls.
 */
export function encodeStream(request: ChatRequest): StreamEncoder {
  const calls = new Map<string, { choice: number; call: ToolCallPart }>();
  const stops = new Map<number, FinishReason>();
  const isArray = request.jsonArrayStream === true;
  let head: Wire = {};
  let elements = 0;

  /** Google's client keeps a turn in its history only if every chunk has a part. */
  const emptyContent = { parts: [{ text: "" }], role: "model" };

  function chunk(fields: Wire): string {
    const data = JSON.stringify({ ...fields, ...head });
    elements += 1;
    if (!isArray) return `data: ${data}\n\n`;
    return elements === 1 ? `[${data}` : `,\n${data}`;
  }

  function parts(choice: number, encoded: Wire[], logprobs?: unknown): string {
    if (encoded.length === 0) return "";
    const content = { parts: encoded, role: "model" };
    const logprobsResult = encodeLogprobs(logprobs);
    return chunk({ candidates: [compact<Wire>({ content, index: choice, logprobsResult })] });
  }

  function flushCalls(): string {
    let text = "";
    for (const { choice, call } of calls.values()) text += parts(choice, encodePart(call));
    calls.clear();
    return text;
  }

  function begin(event: Extract<ChatEvent, { type: "start" }>): string {
    head = { modelVersion: event.model || request.model, responseId: event.id || crypto.randomUUID() };
    // The array must be open before an error can close it.
    return isArray ? parts(0, [{ text: "" }]) : "";
  }

  function finish(event: Extract<ChatEvent, { type: "finish" }>): string {
    let text = flushCalls();
    if (stops.size === 0) stops.set(0, "stop");
    const candidates = [...stops].map(([index, reason]) => ({
      content: emptyContent,
      finishReason: encodeFinish(reason),
      index,
    }));
    const usageMetadata = event.usage === undefined ? undefined : encodeUsage(event.usage);
    text += chunk(compact<Wire>({ candidates, usageMetadata }));
    return isArray ? `${text}]` : text;
  }

  function encode(event: Exclude<ChatEvent, { type: "finish" }>): string {
    switch (event.type) {
      case "start":
        return begin(event);
      case "text":
        return flushCalls() + parts(event.choice, [{ text: event.text }], event.logprobs);
      case "refusal":
        return flushCalls() + parts(event.choice, [{ text: event.text }]);
      case "reasoning":
        return flushCalls() + parts(event.choice, [{ text: event.text, thought: true }]);
      case "reasoning-proof": {
        const { signature, encrypted, id, origin } = event;
        return (
          flushCalls() +
          parts(event.choice, encodePart({ type: "reasoning", text: "", signature, encrypted, id, origin }))
        );
      }
      case "tool-call": {
        const { choice, id, name, signature, origin } = event;
        const call: ToolCallPart = {
          type: "tool-call",
          id,
          name,
          input: "",
          ...(signature !== undefined && { signature, origin }),
        };
        calls.set(`${choice}:${event.part}`, { choice, call });
        return "";
      }
      case "tool-input": {
        const waiting = calls.get(`${event.choice}:${event.part}`);
        if (waiting !== undefined) waiting.call.input += event.text;
        return "";
      }
      case "citation": {
        const groundingMetadata = encodeCitations([event.citation]);
        if (groundingMetadata === undefined) return "";
        return chunk({ candidates: [{ content: emptyContent, groundingMetadata, index: event.choice }] });
      }
      case "media":
        return flushCalls() + parts(event.choice, encodePart(event.media));
      case "foreign":
        return flushCalls() + parts(event.choice, encodePart({ type: "foreign", extra: event.extra }));
      case "stop":
        stops.set(event.choice, event.reason);
        return "";
      default:
        return "";
    }
  }

  return (event) => {
    if (event.type === "finish") return { text: finish(event), last: true };
    return { text: encode(event), last: false };
  };
}
