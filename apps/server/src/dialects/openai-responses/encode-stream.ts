import { append } from "#dialects/append.ts";
import { placeCitation } from "#dialects/citation-place.ts";
import type { EncodedEvent, StreamEncoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent, ChatRequest, Citation, FinishReason } from "#dialects/ir.ts";
import { soundText } from "#dialects/media/media.ts";
import type { ReasoningProof } from "#dialects/reasoning/proof.ts";
import { openaiTier } from "#dialects/usage/service-tier.ts";
import { ownFields } from "#dialects/wire.ts";
import { callItem, encodeAnnotations } from "./encode-items.ts";
import { itemIds } from "./item-ids.ts";
import {
  completeResponse,
  encodeLogprobs,
  imageItem,
  prefixOf,
  reasoningItem,
  responseHead,
} from "./response.ts";
import { type OwnName, ownNames } from "./tools.ts";

interface OpenMessage {
  type: "message";
  id: string;
  index: number;
  content: Wire[];
  /** The open content part, by its part in the IR. */
  part:
    | { ir: number; kind: "output_text" | "refusal"; text: string; annotations: Wire[]; logprobs: unknown[] }
    | undefined;
}

interface OpenReasoning {
  type: "reasoning";
  id: string;
  index: number;
  ir: number;
  text: string;
  proof: ReasoningProof;
}

interface OpenCall {
  id: string;
  index: number;
  callId: string;
  name: string;
  input: string;
  own: OwnName | undefined;
}

/** Returns the place of the message's open content part. */
function placeIn({ id, index, content }: OpenMessage): Wire {
  return { item_id: id, output_index: index, content_index: content.length };
}

/** Returns the input of a call that has begun. */
function emptyInput(own: OwnName | undefined): Wire {
  if (own?.form === "tool_search") return { arguments: {} };
  return own?.form === "custom" ? { input: "" } : { arguments: "" };
}

export function encodeStream(request: ChatRequest): StreamEncoder {
  const encoder = new ResponsesEncoder(request);
  return (event) => encoder.encode(event);
}

/**
 * Encodes events with their sequence number, and the complete object at the end. Calls may stream in
 * parallel, because every event names its item. Everything else is closed before the next item starts.
 */
class ResponsesEncoder {
  readonly #request: ChatRequest;
  readonly #names: ReadonlyMap<string, OwnName>;
  #sequence = 0;
  #head: Wire = {};
  readonly #output: Wire[] = [];
  #open: OpenMessage | OpenReasoning | undefined;
  readonly #calls = new Map<number, OpenCall>();
  #reason: FinishReason = "stop";
  #newId = itemIds(undefined);

  constructor(request: ChatRequest) {
    this.#request = request;
    this.#names = ownNames(request);
  }

  encode(event: ChatEvent): EncodedEvent {
    if (event.type === "finish") return { text: this.#finish(event), last: true };
    // This format supports one choice only.
    if ("choice" in event && event.choice !== 0) return { text: "", last: false };
    return { text: this.#frames(event), last: false };
  }

  #emit(type: string, fields: Wire): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence, ...fields });
    this.#sequence += 1;
    return `event: ${type}\ndata: ${data}\n\n`;
  }

  /** Reserves the item's position in the final object. */
  #reserve(): number {
    this.#output.push({});
    return this.#output.length - 1;
  }

  #added(index: number, item: Wire): string {
    return this.#emit("response.output_item.added", { output_index: index, item });
  }

  #done(index: number, item: Wire): string {
    this.#output[index] = item;
    return this.#emit("response.output_item.done", { output_index: index, item });
  }

  #closeContent(message: OpenMessage): string {
    const { part } = message;
    if (part === undefined) return "";
    message.part = undefined;
    const place = placeIn(message);
    if (part.kind === "refusal") {
      const whole = { type: "refusal", refusal: part.text };
      message.content.push(whole);
      return (
        this.#emit("response.refusal.done", { ...place, refusal: part.text }) +
        this.#emit("response.content_part.done", { ...place, part: whole })
      );
    }
    const { text, annotations, logprobs } = part;
    const whole = { type: "output_text", text, annotations, logprobs };
    message.content.push(whole);
    return (
      this.#emit("response.output_text.done", { ...place, text, logprobs }) +
      this.#emit("response.content_part.done", { ...place, part: whole })
    );
  }

  #closeReasoning(item: OpenReasoning): string {
    const place = { item_id: item.id, output_index: item.index, summary_index: 0 };
    let text = "";
    if (item.text !== "") {
      const part = { type: "summary_text", text: item.text };
      text += this.#emit("response.reasoning_summary_text.done", { ...place, text: item.text });
      text += this.#emit("response.reasoning_summary_part.done", { ...place, part });
    }
    return text + this.#done(item.index, reasoningItem(item.id, item.text, item.proof));
  }

  #closeOpen(): string {
    if (this.#open === undefined) return "";
    const item = this.#open;
    this.#open = undefined;
    if (item.type === "reasoning") return this.#closeReasoning(item);
    const text = this.#closeContent(item);
    const { id, content } = item;
    return (
      text + this.#done(item.index, { id, type: "message", status: "completed", role: "assistant", content })
    );
  }

  #closeCalls(): string {
    let text = "";
    for (const call of this.#calls.values()) {
      const place = { item_id: call.id, output_index: call.index };
      const item = callItem(call.id, { id: call.callId, name: call.name, input: call.input }, call.own);
      if (call.own?.form === "custom") {
        // The text is known when its JSON wrapper is complete, so it is sent in one delta.
        text += this.#emit("response.custom_tool_call_input.delta", { ...place, delta: item["input"] });
        text += this.#emit("response.custom_tool_call_input.done", { ...place, input: item["input"] });
      } else if (call.own?.form !== "tool_search") {
        const whole = { ...place, name: item["name"], arguments: item["arguments"] };
        text += this.#emit("response.function_call_arguments.done", whole);
      }
      text += this.#done(call.index, item);
    }
    this.#calls.clear();
    return text;
  }

  #closeAll() {
    return this.#closeOpen() + this.#closeCalls();
  }

  #openMessage(): { message: OpenMessage; text: string } {
    if (this.#open?.type === "message") return { message: this.#open, text: "" };
    let text = this.#closeAll();
    const message: OpenMessage = {
      type: "message",
      id: this.#newId("msg"),
      index: this.#reserve(),
      content: [],
      part: undefined,
    };
    this.#open = message;
    const item = { id: message.id, type: "message", status: "in_progress", role: "assistant", content: [] };
    text += this.#added(message.index, item);
    return { message, text };
  }

  #say(ir: number, kind: "output_text" | "refusal", delta: string, logprobs?: unknown): string {
    const { message, text: opening } = this.#openMessage();
    let text = opening;
    if (message.part?.ir !== ir || message.part.kind !== kind) {
      text += this.#closeContent(message);
      message.part = { ir, kind, text: "", annotations: [], logprobs: [] };
      const part =
        kind === "refusal"
          ? { type: kind, refusal: "" }
          : { type: kind, text: "", annotations: [], logprobs: [] };
      text += this.#emit("response.content_part.added", { ...placeIn(message), part });
    }
    message.part.text += delta;
    const place = { ...placeIn(message), delta };
    if (kind === "refusal") return text + this.#emit("response.refusal.delta", place);
    const encoded = encodeLogprobs(logprobs);
    append(message.part.logprobs, encoded);
    return text + this.#emit("response.output_text.delta", { ...place, logprobs: encoded });
  }

  #openReasoning(ir: number): { item: OpenReasoning; text: string } {
    if (this.#open?.type === "reasoning" && this.#open.ir === ir) return { item: this.#open, text: "" };
    const text = this.#closeAll();
    const item: OpenReasoning = {
      type: "reasoning",
      id: this.#newId("rs"),
      index: this.#reserve(),
      ir,
      text: "",
      proof: {},
    };
    this.#open = item;
    return { item, text: text + this.#added(item.index, { id: item.id, type: "reasoning", summary: [] }) };
  }

  #think(ir: number, delta: string): string {
    const { item, text: opening } = this.#openReasoning(ir);
    const place = { item_id: item.id, output_index: item.index, summary_index: 0 };
    let text = opening;
    if (item.text === "") {
      text += this.#emit("response.reasoning_summary_part.added", {
        ...place,
        part: { type: "summary_text", text: "" },
      });
    }
    item.text += delta;
    return text + this.#emit("response.reasoning_summary_text.delta", { ...place, delta });
  }

  #prove(event: Extract<ChatEvent, { type: "reasoning-proof" }>): string {
    const { item, text } = this.#openReasoning(event.part);
    if (event.signature !== undefined) item.proof.signature = event.signature;
    if (event.encrypted !== undefined) item.proof.encrypted = event.encrypted;
    if (event.origin !== undefined) item.proof.origin = event.origin;
    return text;
  }

  /**
   * Returns the reasoning item that carries a call's proof. This format has no field for it on the call.
   * The item precedes the call and is sent back with it.
   */
  #proofOfCall({ part, signature, origin }: Extract<ChatEvent, { type: "tool-call" }>): string {
    if (signature === undefined) return "";
    return this.#prove({
      type: "reasoning-proof",
      choice: 0,
      part: this.#open?.type === "reasoning" ? this.#open.ir : part,
      signature,
      origin,
    });
  }

  #call(event: Extract<ChatEvent, { type: "tool-call" }>): string {
    const text = this.#proofOfCall(event) + this.#closeOpen();
    const { id: callId, name } = event;
    const own = this.#names.get(name);
    const id = this.#newId(prefixOf(own));
    const state = { id, index: this.#reserve(), callId, name, input: "", own };
    this.#calls.set(event.part, state);
    const whole = callItem(id, { id: callId, name, input: "" }, own);
    return text + this.#added(state.index, { ...whole, ...emptyInput(own), status: "in_progress" });
  }

  #input(part: number, delta: string): string {
    const state = this.#calls.get(part);
    if (state === undefined) return "";
    state.input += delta;
    // Complete text or objects have no deltas.
    if (state.own?.form === "custom" || state.own?.form === "tool_search") return "";
    const place = { item_id: state.id, output_index: state.index, delta };
    return this.#emit("response.function_call_arguments.delta", place);
  }

  #cite(citation: Citation): string {
    if (this.#open?.type !== "message" || this.#open.part?.kind !== "output_text") return "";
    const { annotations } = this.#open.part;
    const place = placeIn(this.#open);
    return encodeAnnotations([placeCitation(citation, this.#open.part.text)])
      .map((annotation) => {
        annotations.push(annotation);
        const at = { ...place, annotation_index: annotations.length - 1, annotation };
        return this.#emit("response.output_text.annotation.added", at);
      })
      .join("");
  }

  #whole(item: Wire): string {
    const text = this.#closeAll();
    const index = this.#reserve();
    const begun = text + this.#added(index, { ...item, status: "in_progress" });
    return begun + this.#searched(index, item) + this.#done(index, item);
  }

  /** Clients show the progress of a search from events of its own. */
  #searched(index: number, { type, id }: Wire): string {
    if (type !== "web_search_call") return "";
    return ["in_progress", "searching", "completed"]
      .map((step) => this.#emit(`response.web_search_call.${step}`, { output_index: index, item_id: id }))
      .join("");
  }

  #media(event: Extract<ChatEvent, { type: "media" }>): string {
    const { media } = event;
    if (media.type === "audio") {
      const text = soundText(media);
      return text === "" ? "" : this.#say(event.part, "output_text", text);
    }
    if (media.type !== "image" || media.source.type === "file") return "";
    if (media.source.type === "data") return this.#whole(imageItem(this.#newId("msg"), media.source));
    return this.#say(event.part, "output_text", `![image](${media.source.url})`);
  }

  #begin(event: Extract<ChatEvent, { type: "start" }>): string {
    const created = event.created ?? Math.floor(Date.now() / 1000);
    this.#head = responseHead(this.#request, event.id, event.model || this.#request.model, created);
    this.#newId = itemIds(this.#head["id"]);
    const response = {
      ...this.#head,
      status: "in_progress",
      incomplete_details: null,
      output: [],
      usage: null,
    };
    return this.#emit("response.created", { response }) + this.#emit("response.in_progress", { response });
  }

  #finish(event: Extract<ChatEvent, { type: "finish" }>): string {
    const text = this.#closeAll();
    const tier = openaiTier(event.serviceTier) ?? this.#head["service_tier"];
    const response = completeResponse(
      { ...this.#head, service_tier: tier },
      this.#output,
      this.#reason,
      event.usage,
    );
    return text + this.#emit(`response.${String(response["status"])}`, { response });
  }

  #frames(event: Exclude<ChatEvent, { type: "finish" }>): string {
    switch (event.type) {
      case "start":
        return this.#begin(event);
      case "text":
        return this.#say(event.part, "output_text", event.text, event.logprobs);
      case "refusal":
        return this.#say(event.part, "refusal", event.text);
      case "reasoning":
        return this.#think(event.part, event.text);
      case "reasoning-proof":
        return this.#prove(event);
      case "tool-call":
        return this.#call(event);
      case "tool-input":
        return this.#input(event.part, event.text);
      case "citation":
        return this.#cite(event.citation);
      case "media":
        return this.#media(event);
      case "foreign": {
        const own = ownFields("openai-responses", event.extra);
        return own === undefined ? "" : this.#whole(own);
      }
      case "stop":
        this.#reason = event.reason;
        return "";
      default:
        return "";
    }
  }
}
