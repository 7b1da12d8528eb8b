/** Decodes responses of Converse, complete and streamed, to the IR. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Frame, StreamDecoder } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, ChatResponse, FinishReason, Part, Usage } from "#dialects/ir.ts";
import { inOrder } from "#dialects/stream/stream-order.ts";
import { tokens, usageOf } from "#dialects/usage/tokens.ts";
import { asRecord, compact, parseAnswer, parseRecord, readAs } from "#dialects/wire.ts";

const wireUsage = z.looseObject({
  inputTokens: z.number().nullish(),
  outputTokens: z.number().nullish(),
  cacheReadInputTokens: z.number().nullish(),
  cacheWriteInputTokens: z.number().nullish(),
  cacheDetails: z
    .array(z.looseObject({ ttl: z.string().nullish(), inputTokens: z.number().nullish() }))
    .nullish(),
});

/** Decodes the usage. `inputTokens` excludes cached tokens in this API; the IR counts all input. */
export function decodeUsage(value: unknown): Usage | undefined {
  const wire = readAs(wireUsage, value);
  if (wire === undefined) return undefined;
  const plain = tokens(wire.inputTokens);
  const cacheRead = tokens(wire.cacheReadInputTokens);
  const written = tokens(wire.cacheWriteInputTokens);
  const hour = (wire.cacheDetails ?? [])
    .filter((detail) => detail.ttl === "1h")
    .reduce((sum, detail) => sum + (tokens(detail.inputTokens) ?? 0), 0);
  const cacheWrite1h = Math.min(hour, written ?? 0);
  return usageOf({
    input: plain === undefined ? undefined : plain + (cacheRead ?? 0) + (written ?? 0),
    output: tokens(wire.outputTokens),
    cacheRead,
    cacheWrite5m: written === undefined ? undefined : written - cacheWrite1h,
    cacheWrite1h: cacheWrite1h > 0 ? cacheWrite1h : undefined,
    raw: value,
  });
}

const finishes = lookupTable<FinishReason>({
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "content-filter",
  content_filtered: "content-filter",
});

const reasoning = z.looseObject({
  reasoningText: z.looseObject({ text: z.string(), signature: z.string().nullish() }).nullish(),
  redactedContent: z.string().nullish(),
});

const block = z.looseObject({
  text: z.string().nullish(),
  toolUse: z
    .looseObject({ toolUseId: z.string(), name: z.string(), input: z.unknown().optional() })
    .nullish(),
  reasoningContent: reasoning.nullish(),
  citationsContent: z
    .looseObject({ content: z.array(z.looseObject({ text: z.string().nullish() })).nullish() })
    .nullish(),
});

const answer = z.looseObject({
  output: z.looseObject({ message: z.looseObject({ content: z.array(block) }) }),
  stopReason: z.string().nullish(),
  usage: z.unknown().optional(),
  serviceTier: z.looseObject({ type: z.string() }).nullish(),
});

function decodeBlock(wire: z.infer<typeof block>): Part[] {
  const { text, toolUse, reasoningContent: thought, citationsContent: cited } = wire;
  if (text) return [{ type: "text", text }];
  if (toolUse) {
    const input = JSON.stringify(asRecord(toolUse.input) ?? {});
    return [{ type: "tool-call", id: toolUse.toolUseId, name: toolUse.name, input }];
  }
  if (thought?.reasoningText) {
    const { text: message, signature } = thought.reasoningText;
    return [{ type: "reasoning", text: message, ...(signature && { signature }) }];
  }
  if (thought?.redactedContent) return [{ type: "reasoning", text: "", encrypted: thought.redactedContent }];
  const spoken = (cited?.content ?? []).map((piece) => piece.text ?? "").join("");
  return spoken === "" ? [] : [{ type: "text", text: spoken }];
}

export function decodeResponse(body: unknown): ChatResponse {
  const wire = parseAnswer(answer, body);
  const raw = wire.stopReason ?? undefined;
  return compact<ChatResponse>({
    id: "",
    model: "",
    choices: [
      {
        index: 0,
        parts: wire.output.message.content.flatMap(decodeBlock),
        finish: finishes[raw ?? ""] ?? "other",
        ...(raw !== undefined && { finishRaw: raw }),
      },
    ],
    usage: decodeUsage(wire.usage),
    serviceTier: wire.serviceTier?.type,
  });
}

const streamEvent = z.looseObject({
  contentBlockIndex: z.number().nullish(),
  start: z
    .looseObject({ toolUse: z.looseObject({ toolUseId: z.string(), name: z.string() }).nullish() })
    .nullish(),
  delta: z
    .looseObject({
      text: z.string().nullish(),
      toolUse: z.looseObject({ input: z.string().nullish() }).nullish(),
      reasoningContent: z
        .looseObject({
          text: z.string().nullish(),
          signature: z.string().nullish(),
          redactedContent: z.string().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  stopReason: z.string().nullish(),
  usage: z.unknown().optional(),
  serviceTier: z.looseObject({ type: z.string() }).nullish(),
});
type StreamEvent = z.infer<typeof streamEvent>;

interface Open {
  part: number;
  isCall: boolean;
  hasInput: boolean;
}

const choice = 0;

export function decodeStream(): StreamDecoder {
  const blocks = new Map<number, Open>();
  let nextPart = 0;
  let stopped = false;

  /** Opens a part. Only calls have a start event; other blocks start with their first delta. */
  function openAt(event: StreamEvent, isCall: boolean): Open {
    const index = event.contentBlockIndex ?? 0;
    const known = blocks.get(index);
    if (known !== undefined) return known;
    const open = { part: nextPart, isCall, hasInput: false };
    nextPart += 1;
    blocks.set(index, open);
    return open;
  }

  function begin(event: StreamEvent): ChatEvent[] {
    const call = event.start?.toolUse;
    if (!call) return [];
    const { part } = openAt(event, true);
    return [{ type: "tool-call", choice, part, id: call.toolUseId, name: call.name }];
  }

  function pieces(event: StreamEvent): ChatEvent[] {
    const { delta } = event;
    if (!delta) return [];
    const open = openAt(event, false);
    const { part } = open;
    const thought = delta.reasoningContent;
    if (delta.text) return [{ type: "text", choice, part, text: delta.text }];
    if (thought?.text) return [{ type: "reasoning", choice, part, text: thought.text }];
    if (thought?.signature) return [{ type: "reasoning-proof", choice, part, signature: thought.signature }];
    if (thought?.redactedContent)
      return [{ type: "reasoning-proof", choice, part, encrypted: thought.redactedContent }];
    const input = delta.toolUse?.input;
    if (!input || !open.isCall) return [];
    open.hasInput = true;
    return [{ type: "tool-input", choice, part, text: input }];
  }

  function end(event: StreamEvent): ChatEvent[] {
    const index = event.contentBlockIndex ?? 0;
    const open = blocks.get(index);
    blocks.delete(index);
    // A call without arguments sends no input delta.
    return open?.isCall === true && !open.hasInput
      ? [{ type: "tool-input", choice, part: open.part, text: "{}" }]
      : [];
  }

  function stop(raw: string): ChatEvent[] {
    if (stopped) return [];
    stopped = true;
    return [{ type: "stop", choice, reason: finishes[raw] ?? "other", raw }];
  }

  function decode(name: string | undefined, event: StreamEvent): ChatEvent[] {
    switch (name) {
      case "messageStart":
        return [{ type: "start", id: "", model: "" }];
      case "contentBlockStart":
        return begin(event);
      case "contentBlockDelta":
        return pieces(event);
      case "contentBlockStop":
        return end(event);
      case "messageStop":
        return stop(event.stopReason ?? "");
      case "metadata": {
        const tier = event.serviceTier?.type;
        const usage = decodeUsage(event.usage);
        return [
          compact<ChatEvent>({ type: "finish", usage, ...(tier !== undefined && { serviceTier: tier }) }),
        ];
      }
      default:
        return [];
    }
  }

  return inOrder({
    frame(frame: Frame) {
      if (frame.event === "error")
        return [{ type: "error", error: dialects.anthropic.decodeError(0, frame.data, {}) }];
      const event = readAs(streamEvent, parseRecord(frame.data));
      return event === undefined ? [] : decode(frame.event, event);
    },
    end: () => (stopped ? [{ type: "finish" }] : []),
  });
}
