import type { Frame, StreamDecoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent } from "#dialects/ir.ts";
import { inOrder } from "#dialects/stream/stream-order.ts";
import { argumentsText, parseRecord, readAs } from "#dialects/wire.ts";
import { decodeAnnotation } from "./decode-items.ts";
import { decodeEventError } from "./error.ts";
import { wrapInput } from "./freeform.ts";
import {
  decodeFinish,
  decodeItem,
  decodeLogprobs,
  decodeProof,
  finishRaw,
  isOwnCall,
  reasoningText,
} from "./response.ts";
import { type OutputItem, type StreamEvent, streamEvent, type WireResponse } from "./schema.ts";
import { countCall, decodeUsage } from "./usage.ts";

const choice = 0;

/** An output item in progress. */
interface OpenItem {
  /** Part of each content part; one part for a whole reasoning item or call. */
  parts: Map<number, number>;
  /** True when content arrived in deltas, so that the finished item is not emitted again. */
  reported: boolean;
  summary: number;
}

export function decodeStream(): StreamDecoder {
  return inOrder(new ResponsesDecoder());
}

class ResponsesDecoder implements StreamDecoder {
  readonly #open = new Map<number, OpenItem>();
  readonly #calls: Record<string, number> = {};
  #nextPart = 0;
  #called = false;
  #refused = false;

  frame(frame: Frame): ChatEvent[] {
    const whole = parseRecord(frame.data);
    const event = readAs(streamEvent, whole);
    return event === undefined || whole === undefined ? [] : this.#decode(event, whole);
  }

  end(): ChatEvent[] {
    return [];
  }

  #itemAt(index: number): OpenItem {
    const known = this.#open.get(index);
    if (known !== undefined) return known;
    const item = { parts: new Map<number, number>(), reported: false, summary: 0 };
    this.#open.set(index, item);
    return item;
  }

  #partAt(item: OpenItem, content: number): number {
    const known = item.parts.get(content);
    if (known !== undefined) return known;
    const part = this.#nextPart;
    this.#nextPart += 1;
    item.parts.set(content, part);
    return part;
  }

  #call(index: number, item: OutputItem): ChatEvent[] {
    if ((item.type !== "function_call" && item.type !== "custom_tool_call") || isOwnCall(item)) return [];
    this.#called = true;
    const part = this.#partAt(this.#itemAt(index), 0);
    return [
      {
        type: "tool-call",
        choice,
        part,
        id: item.call_id || item.id || `call_${part}`,
        name: item.name ?? "",
      },
    ];
  }

  #say(event: StreamEvent, type: "text" | "refusal"): ChatEvent[] {
    const item = this.#itemAt(event.output_index ?? 0);
    item.reported = true;
    if (!event.delta) return [];
    if (type === "refusal") this.#refused = true;
    const part = this.#partAt(item, event.content_index ?? 0);
    const logprobs = type === "text" ? decodeLogprobs(event.logprobs) : undefined;
    return [{ type, choice, part, text: event.delta, ...(logprobs !== undefined && { logprobs }) }];
  }

  /** Decodes reasoning. Several summaries of one item form one part, separated by blank lines. */
  #reason(event: StreamEvent): ChatEvent[] {
    const item = this.#itemAt(event.output_index ?? 0);
    if (!event.delta) return [];
    const summary = event.summary_index ?? 0;
    const gap = item.reported && summary !== item.summary ? "\n\n" : "";
    item.reported = true;
    item.summary = summary;
    return [{ type: "reasoning", choice, part: this.#partAt(item, 0), text: gap + event.delta }];
  }

  #input(event: StreamEvent): ChatEvent[] {
    const item = this.#open.get(event.output_index ?? 0);
    const part = item?.parts.get(0);
    if (item === undefined || part === undefined || !event.delta) return [];
    item.reported = true;
    return [{ type: "tool-input", choice, part, text: event.delta }];
  }

  #cite(event: StreamEvent): ChatEvent[] {
    const part = this.#open.get(event.output_index ?? 0)?.parts.get(event.content_index ?? 0);
    const citation = decodeAnnotation(event.annotation);
    return part === undefined || citation === undefined ? [] : [{ type: "citation", choice, part, citation }];
  }

  /** Emits a finished message that sent no deltas. */
  #wholeMessage(state: OpenItem, item: OutputItem): ChatEvent[] {
    return decodeItem(item).flatMap<ChatEvent>((output, content) => {
      if (output.type === "refusal") this.#refused = true;
      if (output.type !== "text" && output.type !== "refusal") return [];
      return [{ type: output.type, choice, part: this.#partAt(state, content), text: output.text }];
    });
  }

  #finishItem(index: number, item: OutputItem): ChatEvent[] {
    const state = this.#itemAt(index);
    countCall(this.#calls, item.type);
    switch (isOwnCall(item) ? "" : item.type) {
      case "message":
        return state.reported ? [] : this.#wholeMessage(state, item);
      case "reasoning": {
        const events: ChatEvent[] = [];
        const text = reasoningText(item);
        const part = this.#partAt(state, 0);
        if (!state.reported && text !== "") events.push({ type: "reasoning", choice, part, text });
        const proof = decodeProof(item);
        if (Object.keys(proof).length > 0) events.push({ type: "reasoning-proof", choice, part, ...proof });
        return events;
      }
      case "function_call": {
        const opening = state.parts.has(0) ? [] : this.#call(index, item);
        if (state.reported) return opening;
        return [
          ...opening,
          {
            type: "tool-input",
            choice,
            part: this.#partAt(state, 0),
            text: argumentsText(item.arguments) || "{}",
          },
        ];
      }
      case "custom_tool_call": {
        // Other dialects wrap the text in a JSON string, so it is emitted when it is complete.
        const opening = state.parts.has(0) ? [] : this.#call(index, item);
        const text = wrapInput(argumentsText(item.input));
        return [...opening, { type: "tool-input", choice, part: this.#partAt(state, 0), text }];
      }
      default:
        return decodeItem(item).flatMap<ChatEvent>((part) => {
          const place = this.#partAt(state, 0);
          if (part.type === "foreign") return [{ type: "foreign", choice, part: place, extra: part.extra }];
          return [{ type: "media", choice, part: place, media: part }];
        });
    }
  }

  #finish(response: WireResponse): ChatEvent[] {
    const reason = decodeFinish(response, { calls: this.#called, refused: this.#refused });
    const raw = finishRaw(response);
    const serviceTier = response.service_tier ?? undefined;
    return [
      { type: "stop", choice, reason, ...(raw !== undefined && { raw }) },
      {
        type: "finish",
        usage: decodeUsage(response.usage, this.#calls),
        ...(serviceTier !== undefined && { serviceTier }),
      },
    ];
  }

  #start(response: WireResponse | null | undefined): ChatEvent[] {
    if (!response) return [];
    const created = response.created_at ?? undefined;
    const head = { id: response.id ?? "", model: response.model ?? "" };
    return [{ type: "start", ...head, ...(created !== undefined && { created }) }];
  }

  #decode(event: StreamEvent, whole: Wire): ChatEvent[] {
    switch (event.type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        return this.#start(event.response);
      case "response.output_item.added":
        // A call that arrives complete is emitted when it is done:
        // until then it may be the provider's own call.
        return event.item && event.item.status !== "completed"
          ? this.#call(event.output_index ?? 0, event.item)
          : [];
      case "response.output_text.delta":
        return this.#say(event, "text");
      case "response.refusal.delta":
        return this.#say(event, "refusal");
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#reason(event);
      case "response.function_call_arguments.delta":
        return this.#input(event);
      case "response.output_text.annotation.added":
        return this.#cite(event);
      case "response.output_item.done":
        return event.item ? this.#finishItem(event.output_index ?? 0, event.item) : [];
      case "response.completed":
      case "response.incomplete":
        return event.response ? [...this.#start(event.response), ...this.#finish(event.response)] : [];
      case "response.failed":
      case "error":
        return [{ type: "error", error: decodeEventError(whole) }];
      default:
        return [];
    }
  }
}
