import type { z } from "zod";
import type { Frame, StreamDecoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent } from "#dialects/ir.ts";
import { inOrder } from "#dialects/stream/stream-order.ts";
import { asRecord, parseRecord, readAs } from "#dialects/wire.ts";
import { decodeCitation } from "./citation.ts";
import { decodeErrorObject } from "./error.ts";
import { decodeFinish, decodeRefusal } from "./response.ts";
import { type AnswerBlock, type StopDetails, streamEvent } from "./schema.ts";
import { decodeUsage, mergeUsage } from "./usage.ts";

type StreamEvent = z.infer<typeof streamEvent>;

interface OpenBlock {
  part: number;
  block: AnswerBlock;
  input: string;
}

const choice = 0;

/** Returns whether the input in a block's start event already has content, and is not a placeholder. */
function saysInput(input: unknown): boolean {
  return Object.keys(asRecord(input) ?? {}).length > 0;
}

export function decodeStream(): StreamDecoder {
  const blocks = new Map<number, OpenBlock>();
  let nextPart = 0;
  let usage: Wire | undefined;
  let stopped = false;

  function startBlock(event: StreamEvent): ChatEvent[] {
    const block = event.content_block;
    if (!block) return [];
    const part = nextPart;
    nextPart += 1;
    blocks.set(event.index ?? part, { part, block, input: "" });
    switch (block.type) {
      case "text":
        return block.text ? [{ type: "text", choice, part, text: block.text }] : [];
      case "thinking":
        return block.thinking ? [{ type: "reasoning", choice, part, text: block.thinking }] : [];
      case "redacted_thinking":
        return [{ type: "reasoning-proof", choice, part, encrypted: block.data ?? "" }];
      case "tool_use":
        return [{ type: "tool-call", choice, part, id: block.id || `toolu_${part}`, name: block.name ?? "" }];
      default:
        return [];
    }
  }

  function deltaOf(event: StreamEvent): ChatEvent[] {
    const open = blocks.get(event.index ?? nextPart - 1);
    const delta = event.delta;
    if (open === undefined || !delta) return [];
    const { part } = open;
    switch (delta.type) {
      case "text_delta":
        return delta.text ? [{ type: "text", choice, part, text: delta.text }] : [];
      case "thinking_delta":
        return delta.thinking ? [{ type: "reasoning", choice, part, text: delta.thinking }] : [];
      case "signature_delta":
        return delta.signature ? [{ type: "reasoning-proof", choice, part, signature: delta.signature }] : [];
      case "citations_delta": {
        const citation = decodeCitation(delta.citation);
        return citation === undefined ? [] : [{ type: "citation", choice, part, citation }];
      }
      case "input_json_delta": {
        const text = delta.partial_json ?? "";
        open.input += text;
        return open.block.type === "tool_use" && text !== ""
          ? [{ type: "tool-input", choice, part, text }]
          : [];
      }
      default:
        return [];
    }
  }

  /**
   * Completes a block. A call without arguments gets its empty object; a foreign block is emitted as a whole.
   */
  function stopBlock(event: StreamEvent): ChatEvent[] {
    const index = event.index ?? nextPart - 1;
    const open = blocks.get(index);
    if (open === undefined) return [];
    blocks.delete(index);
    const { part, block, input } = open;
    switch (block.type) {
      case "text":
      case "thinking":
      case "redacted_thinking":
        return [];
      case "tool_use": {
        if (input !== "") return [];
        const text = saysInput(block.input) ? JSON.stringify(block.input) : "{}";
        return [{ type: "tool-input", choice, part, text }];
      }
      default: {
        const whole = input === "" ? block : { ...block, input: parseRecord(input) ?? {} };
        return [{ type: "foreign", choice, part, extra: { dialect: "anthropic", fields: whole } }];
      }
    }
  }

  function stop(raw: string, details: StopDetails): ChatEvent[] {
    if (stopped) return [];
    stopped = true;
    const refusals = decodeRefusal(details).map<ChatEvent>((refusal) => {
      nextPart += 1;
      return { ...refusal, choice, part: nextPart - 1 };
    });
    return [...refusals, { type: "stop", choice, reason: decodeFinish(raw), raw }];
  }

  function finish(): ChatEvent[] {
    const tier = usage?.["service_tier"];
    const decoded = decodeUsage(usage);
    return [{ type: "finish", usage: decoded, ...(typeof tier === "string" && { serviceTier: tier }) }];
  }

  function start(event: StreamEvent): ChatEvent[] {
    const counted = decodeUsage(usage);
    const head = { id: event.message?.id ?? "", model: event.message?.model ?? "" };
    return [{ type: "start", ...head, ...(counted !== undefined && { usage: counted }) }];
  }

  function decode(event: StreamEvent, whole: Wire): ChatEvent[] {
    switch (event.type) {
      case "message_start":
        usage = mergeUsage(usage, event.message?.usage);
        return start(event);
      case "content_block_start":
        return startBlock(event);
      case "content_block_delta":
        return deltaOf(event);
      case "content_block_stop":
        return stopBlock(event);
      case "message_delta":
        usage = mergeUsage(usage, event.usage);
        return event.delta?.stop_reason ? stop(event.delta.stop_reason, event.delta.stop_details) : [];
      case "message_stop":
        return finish();
      case "error":
        return [{ type: "error", error: decodeErrorObject(whole, 0) }];
      default:
        return [];
    }
  }

  return inOrder({
    frame(frame: Frame) {
      const whole = parseRecord(frame.data);
      const event = readAs(streamEvent, whole);
      return event === undefined || whole === undefined ? [] : decode(event, whole);
    },
    end: () => (stopped ? finish() : []),
  });
}
