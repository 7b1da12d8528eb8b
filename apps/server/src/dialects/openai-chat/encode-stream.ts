import { placeCitation } from "#dialects/citation-place.ts";
import type { EncodedEvent, StreamEncoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent, ChatRequest } from "#dialects/ir.ts";
import { unwrapInput } from "#dialects/openai-responses/freeform.ts";
import { compact } from "#dialects/wire.ts";
import { customNames } from "./custom-tools.ts";
import { encodeReasoningDetails } from "./encode-messages.ts";
import { wantsOldCalls } from "./request.ts";
import { encodeAudio, encodeCitations, encodeFinish, encodeImage, newId } from "./response.ts";
import { encodeUsage } from "./usage.ts";

interface ChoiceState {
  /** Index of each call among the calls of its choice, by part. */
  calls: Map<number, number>;
  /** Calls with plain text input, by part. The text is known when its JSON wrapper is complete. */
  custom: Map<number, { index: number; id: string; name: string; input: string }>;
  reasoning: Map<number, string>;
  /**
   * End of the current text, and the length of the text before it. Citation offsets refer to the whole text.
   */
  output: { part: number; offset: number; text: string };
  refused: boolean;
  stopped: boolean;
}

/** Number of characters in which cited text is searched. Bounds memory for streams of any length. */
const LOOK_BACK = 16_384;

function remember(output: ChoiceState["output"], { part, text }: Extract<ChatEvent, { type: "text" }>): void {
  const isLong = output.text.length > 2 * LOOK_BACK;
  const kept = output.part !== part ? "" : isLong ? output.text.slice(-LOOK_BACK) : output.text;
  output.offset += output.text.length - kept.length;
  output.part = part;
  output.text = kept + text;
}

export function encodeStream(request: ChatRequest): StreamEncoder {
  const encoder = new ChatEncoder(request);
  return (event) => encoder.encode(event);
}

/**
 * Encodes chunks. The finish reasons, the usage and `[DONE]` are sent together at the finish, because a
 * client may take the finish reason alone for the end.
 */
class ChatEncoder {
  readonly #request: ChatRequest;
  readonly #customs: ReadonlySet<string>;
  readonly #oldCalls: boolean;
  readonly #choices = new Map<number, ChoiceState>();
  #head = "";
  readonly #tail: ',"usage":null}' | "}";
  #ending = "";

  constructor(request: ChatRequest) {
    this.#request = request;
    this.#customs = customNames(request);
    this.#oldCalls = wantsOldCalls(request);
    this.#tail = request.includeUsage === true ? ',"usage":null}' : "}";
  }

  encode(event: ChatEvent): EncodedEvent {
    switch (event.type) {
      case "start":
        return { text: this.#begin(event), last: false };
      case "finish":
        return { text: this.#finish(event), last: true };
      case "error":
        return { text: "", last: false };
      case "stop": {
        const { state, opening } = this.#open(event.choice);
        state.stopped = true;
        this.#ending += this.#chunk(
          event.choice,
          {},
          encodeFinish(event.reason, state.refused, this.#oldCalls),
        );
        return { text: opening + this.#customInputs(event.choice, state), last: false };
      }
      default: {
        const { state, opening } = this.#open(event.choice);
        const delta = this.#deltaOf(state, event);
        if (delta === undefined) return { text: opening, last: false };
        const logprobs = event.type === "text" ? event.logprobs : undefined;
        return { text: opening + this.#chunk(event.choice, compact(delta), null, logprobs), last: false };
      }
    }
  }

  #chunk(choice: number, delta: Wire, finish: string | null = null, logprobs?: unknown): string {
    const proof = logprobs === undefined ? "null" : JSON.stringify(logprobs);
    const reason = JSON.stringify(finish);
    const body = JSON.stringify(delta);
    return `data: ${this.#head},"choices":[{"index":${choice},"delta":${body},"logprobs":${proof},"finish_reason":${reason}}]${this.#tail}\n\n`;
  }

  /** Returns the choice's state; the first chunk of a choice contains its role. */
  #open(choice: number): { state: ChoiceState; opening: string } {
    const known = this.#choices.get(choice);
    if (known !== undefined) return { state: known, opening: "" };
    const output = { part: 0, offset: 0, text: "" };
    const state = {
      calls: new Map(),
      custom: new Map(),
      reasoning: new Map(),
      output,
      refused: false,
      stopped: false,
    };
    this.#choices.set(choice, state);
    return { state, opening: this.#chunk(choice, { role: "assistant", content: "" }) };
  }

  #begin(event: Extract<ChatEvent, { type: "start" }>): string {
    const object = {
      id: event.id || newId(),
      object: "chat.completion.chunk",
      created: event.created ?? Math.floor(Date.now() / 1000),
      model: event.model || this.#request.model,
    };
    this.#head = JSON.stringify(object).slice(0, -1);
    return this.#open(0).opening;
  }

  #callDelta(state: ChoiceState, event: Extract<ChatEvent, { type: "tool-call" }>): Wire | undefined {
    const index = state.calls.size;
    state.calls.set(event.part, index);
    // The old format allows one call; the model makes the next one after this result.
    if (this.#oldCalls) return index > 0 ? undefined : { function_call: { name: event.name, arguments: "" } };
    if (this.#customs.has(event.name)) {
      const { id, name } = event;
      state.custom.set(event.part, { index, id, name, input: "" });
      return { tool_calls: [{ index, id, type: "custom", custom: { name, input: "" } }] };
    }
    const call = { index, id: event.id, type: "function", function: { name: event.name, arguments: "" } };
    if (event.signature === undefined) return { tool_calls: [call] };
    return { tool_calls: [{ ...call, extra_content: { google: { thought_signature: event.signature } } }] };
  }

  /** Returns the inputs of the calls with plain text. */
  #customInputs(choice: number, state: ChoiceState): string {
    let text = "";
    for (const { index, input } of state.custom.values())
      text += this.#chunk(choice, { tool_calls: [{ index, custom: { input: unwrapInput(input) } }] });
    state.custom.clear();
    return text;
  }

  #deltaOf(state: ChoiceState, event: ChatEvent): Wire | undefined {
    switch (event.type) {
      case "text":
        remember(state.output, event);
        return { content: event.text };
      case "refusal":
        state.refused = true;
        return { refusal: event.text };
      case "reasoning":
        state.reasoning.set(event.part, (state.reasoning.get(event.part) ?? "") + event.text);
        return { reasoning_content: event.text };
      case "reasoning-proof": {
        const { signature, encrypted, id, origin } = event;
        const text = state.reasoning.get(event.part) ?? "";
        return {
          reasoning_details: encodeReasoningDetails([
            { type: "reasoning", text, signature, encrypted, id, origin },
          ]),
        };
      }
      case "tool-call":
        return this.#callDelta(state, event);
      case "tool-input": {
        const custom = state.custom.get(event.part);
        if (custom !== undefined) {
          custom.input += event.text;
          return undefined;
        }
        const index = state.calls.get(event.part);
        if (index === undefined) return undefined;
        if (this.#oldCalls) return index > 0 ? undefined : { function_call: { arguments: event.text } };
        return { tool_calls: [{ index, function: { arguments: event.text } }] };
      }
      case "citation": {
        const { text, offset } = state.output;
        const annotations = encodeCitations([placeCitation(event.citation, text, offset)]);
        return annotations.length === 0 ? undefined : { annotations };
      }
      case "media":
        if (event.media.type === "audio") return { audio: encodeAudio(event.media) };
        if (event.media.type === "image") return { images: encodeImage(event.media) };
        return undefined;
      default:
        return undefined;
    }
  }

  #finish(event: Extract<ChatEvent, { type: "finish" }>): string {
    let text = this.#ending;
    for (const [choice, state] of this.#choices) {
      text = this.#customInputs(choice, state) + text;
      if (!state.stopped)
        text += this.#chunk(
          choice,
          {},
          encodeFinish(state.calls.size > 0 ? "tool-calls" : "stop", false, this.#oldCalls),
        );
    }
    if (this.#request.includeUsage === true && event.usage !== undefined) {
      const usage = JSON.stringify(encodeUsage(event.usage));
      text += `data: ${this.#head},"choices":[],"usage":${usage}}\n\n`;
    }
    return `${text}data: [DONE]\n\n`;
  }
}
