import type { EncodedEvent, StreamEncoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent, ChatRequest, FinishReason, Part } from "#dialects/ir.ts";
import { inputObject } from "#dialects/wire.ts";
import { codeId, encodeAnnotations, encodeCode, encodeContent, signatureOf } from "./encode-steps.ts";
import { completeInteraction, interactionHead } from "./response.ts";

interface Open {
  type: "model_output" | "thought";
  index: number;
  step: Wire;
  /** Part of the IR that the last text belongs to. */
  part: number;
}

interface OpenCall {
  index: number;
  step: Wire;
  input: string;
}

export function encodeStream(request: ChatRequest): StreamEncoder {
  const encoder = new InteractionsEncoder(request);
  return (event) => encoder.encode(event);
}

/**
 * Encodes steps as they arrive, and the complete interaction at the end. Calls may stream in parallel, because every event
 * names its step. Everything else is closed before the next step starts.
 */
class InteractionsEncoder {
  readonly #request: ChatRequest;
  readonly #steps: Wire[] = [];
  readonly #calls = new Map<number, OpenCall>();
  #open: Open | undefined;
  #head: Wire = {};
  #reason: FinishReason = "stop";
  #codes = 0;

  constructor(request: ChatRequest) {
    this.#request = request;
  }

  encode(event: ChatEvent): EncodedEvent {
    if (event.type === "finish") return { text: this.#finish(event), last: true };
    // This format has one response only.
    if ("choice" in event && event.choice !== 0) return { text: "", last: false };
    return { text: this.#frames(event), last: false };
  }

  #emit(type: string, fields: Wire): string {
    return `event: ${type}\ndata: ${JSON.stringify({ event_type: type, ...fields })}\n\n`;
  }

  /** Starts a step. What streams is not in it yet. */
  #start(step: Wire, visible = step): { index: number; text: string } {
    this.#steps.push(step);
    const index = this.#steps.length - 1;
    return { index, text: this.#emit("step.start", { index, step: visible }) };
  }

  #delta(index: number, fields: Wire) {
    return this.#emit("step.delta", { index, delta: fields });
  }

  #stop(index: number) {
    return this.#emit("step.stop", { index });
  }

  #closeOpen(): string {
    if (this.#open === undefined) return "";
    const { index } = this.#open;
    this.#open = undefined;
    return this.#stop(index);
  }

  #closeCalls(): string {
    let text = "";
    for (const { index, step, input } of this.#calls.values()) {
      step["arguments"] = inputObject(input);
      text += this.#stop(index);
    }
    this.#calls.clear();
    return text;
  }

  #closeAll() {
    return this.#closeOpen() + this.#closeCalls();
  }

  #openStep(type: Open["type"], part: number): { step: Open; text: string } {
    if (this.#open?.type === type && (type === "model_output" || this.#open.part === part))
      return { step: this.#open, text: "" };
    const closing = this.#closeAll();
    const step: Wire = type === "model_output" ? { type, content: [] } : { type };
    const { index, text } = this.#start(step, { type });
    this.#open = { type, index, step, part };
    return { step: this.#open, text: closing + text };
  }

  #contentOf({ step }: Open) {
    return step["content"] as Wire[];
  }

  #say(part: number, piece: string): string {
    const { step, text } = this.#openStep("model_output", part);
    const last = this.#contentOf(step).at(-1);
    if (last?.["type"] === "text" && step.part === part) last["text"] = String(last["text"]) + piece;
    else this.#contentOf(step).push({ type: "text", text: piece });
    step.part = part;
    return text + this.#delta(step.index, { type: "text", text: piece });
  }

  #think(part: number, thought: string): string {
    const { step, text } = this.#openStep("thought", part);
    const [last] = (step.step["summary"] ?? []) as Wire[];
    if (last === undefined) step.step["summary"] = [{ type: "text", text: thought }];
    else last["text"] = String(last["text"]) + thought;
    const content = { type: "text", text: thought };
    return text + this.#delta(step.index, { type: "thought_summary", content });
  }

  /** A call has no signature of its own in this format: the thought before it carries it. */
  #prove(part: number, proof: Parameters<typeof signatureOf>[0]): string {
    const signature = signatureOf(proof);
    if (signature === undefined) return "";
    const { step, text } = this.#openStep("thought", part);
    step.step["signature"] = signature;
    return text + this.#delta(step.index, { type: "thought_signature", signature });
  }

  #call({ part, id, name, signature, origin }: Extract<ChatEvent, { type: "tool-call" }>): string {
    const isOpen = this.#open?.type === "thought" && this.#open.step["signature"] === undefined;
    const proof = this.#prove(isOpen && this.#open !== undefined ? this.#open.part : part, {
      signature,
      origin,
    });
    const closing = this.#closeOpen();
    const step: Wire = { type: "function_call", id, name, arguments: {} };
    const { index, text } = this.#start(step);
    this.#calls.set(part, { index, step, input: "" });
    return proof + closing + text;
  }

  #input(part: number, given: string): string {
    const state = this.#calls.get(part);
    if (state === undefined) return "";
    state.input += given;
    return this.#delta(state.index, { type: "arguments_delta", arguments: given });
  }

  #cite({ part, citation }: Extract<ChatEvent, { type: "citation" }>): string {
    const last = this.#open?.type === "model_output" ? this.#contentOf(this.#open).at(-1) : undefined;
    if (this.#open === undefined || last?.["type"] !== "text" || this.#open.part !== part) return "";
    const annotations = encodeAnnotations([citation], String(last["text"]));
    if (annotations.length === 0) return "";
    last["annotations"] = [...((last["annotations"] ?? []) as Wire[]), ...annotations];
    return this.#delta(this.#open.index, { type: "text_annotation_delta", annotations });
  }

  #media(part: number, given: Part): string {
    const content = encodeContent(given);
    if (content === undefined) return "";
    if (content["type"] === "text") return this.#say(part, String(content["text"]));
    const { step, text } = this.#openStep("model_output", part);
    this.#contentOf(step).push(content);
    step.part = part;
    return text + this.#delta(step.index, content);
  }

  #code(event: Extract<ChatEvent, { type: "foreign" }>): string {
    if (event.extra.fields["executableCode"] !== undefined) this.#codes += 1;
    const step = encodeCode(event, codeId(this.#codes));
    if (step === undefined) return "";
    const closing = this.#closeAll();
    const { index, text } = this.#start(step);
    return closing + text + this.#stop(index);
  }

  #begin({ model, created }: Extract<ChatEvent, { type: "start" }>): string {
    this.#head = interactionHead(this.#request, model, created ?? Math.floor(Date.now() / 1_000));
    const status = "in_progress";
    return (
      this.#emit("interaction.created", { interaction: { ...this.#head, status } }) +
      this.#emit("interaction.status_update", { interaction_id: this.#head["id"], status })
    );
  }

  #finish(event: Extract<ChatEvent, { type: "finish" }>): string {
    const closing = this.#closeAll();
    const interaction = completeInteraction(this.#head, this.#steps, this.#reason, event);
    return `${closing}${this.#emit("interaction.completed", { interaction })}event: done\ndata: [DONE]\n\n`;
  }

  #frames(event: Exclude<ChatEvent, { type: "finish" }>): string {
    switch (event.type) {
      case "start":
        return this.#begin(event);
      case "text":
      case "refusal":
        return event.text === "" ? "" : this.#say(event.part, event.text);
      case "reasoning":
        return event.text === "" ? "" : this.#think(event.part, event.text);
      case "reasoning-proof":
        return this.#prove(event.part, event);
      case "tool-call":
        return this.#call(event);
      case "tool-input":
        return this.#input(event.part, event.text);
      case "citation":
        return this.#cite(event);
      case "media":
        return this.#media(event.part, event.media);
      case "foreign":
        return this.#code(event);
      case "stop":
        this.#reason = event.reason;
        return "";
      default:
        return "";
    }
  }
}
