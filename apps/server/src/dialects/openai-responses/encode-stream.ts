import { append } from "#dialects/append.ts";
import { placeCitation } from "#dialects/citation-place.ts";
import type { StreamEncoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent, ChatRequest, Citation, FinishReason } from "#dialects/ir.ts";
import { dataUrl, soundText } from "#dialects/media/media.ts";
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

/** Returns the input of a call that has begun. */
function emptyInput(own: OwnName | undefined): Wire {
  if (own?.search === true) return { arguments: {} };
  return own?.freeform === true ? { input: "" } : { arguments: "" };
}

/**
 * Encodes events with their sequence number, and the complete object at the end. Calls may stream in
 * parallel, because every event names its item. Everything else is closed before the next item starts.
 */
export function encodeStream(request: ChatRequest): StreamEncoder {
  const names = ownNames(request);
  let sequence = 0;
  let head: Wire = {};
  const output: Wire[] = [];
  let open: OpenMessage | OpenReasoning | undefined;
  const calls = new Map<number, OpenCall>();
  let reason: FinishReason = "stop";
  let newId = itemIds(undefined);

  function emit(type: string, fields: Wire): string {
    const data = JSON.stringify({ type, sequence_number: sequence, ...fields });
    sequence += 1;
    return `event: ${type}\ndata: ${data}\n\n`;
  }

  /** Reserves the item's position in the final object. */
  function reserve(): number {
    output.push({});
    return output.length - 1;
  }

  function added(index: number, item: Wire): string {
    return emit("response.output_item.added", { output_index: index, item });
  }

  function done(index: number, item: Wire): string {
    output[index] = item;
    return emit("response.output_item.done", { output_index: index, item });
  }

  function closeContent(message: OpenMessage): string {
    const { part } = message;
    if (part === undefined) return "";
    message.part = undefined;
    const place = { item_id: message.id, output_index: message.index, content_index: message.content.length };
    if (part.kind === "refusal") {
      const whole = { type: "refusal", refusal: part.text };
      message.content.push(whole);
      return (
        emit("response.refusal.done", { ...place, refusal: part.text }) +
        emit("response.content_part.done", { ...place, part: whole })
      );
    }
    const { text, annotations, logprobs } = part;
    const whole = { type: "output_text", text, annotations, logprobs };
    message.content.push(whole);
    return (
      emit("response.output_text.done", { ...place, text, logprobs }) +
      emit("response.content_part.done", { ...place, part: whole })
    );
  }

  function closeReasoning(item: OpenReasoning): string {
    const place = { item_id: item.id, output_index: item.index, summary_index: 0 };
    let text = "";
    if (item.text !== "") {
      const part = { type: "summary_text", text: item.text };
      text += emit("response.reasoning_summary_text.done", { ...place, text: item.text });
      text += emit("response.reasoning_summary_part.done", { ...place, part });
    }
    return text + done(item.index, reasoningItem(item.id, item.text, item.proof));
  }

  function closeOpen(): string {
    if (open === undefined) return "";
    const item = open;
    open = undefined;
    if (item.type === "reasoning") return closeReasoning(item);
    const text = closeContent(item);
    const { id, content } = item;
    return text + done(item.index, { id, type: "message", status: "completed", role: "assistant", content });
  }

  function closeCalls(): string {
    let text = "";
    for (const call of calls.values()) {
      const place = { item_id: call.id, output_index: call.index };
      const item = callItem(call.id, { id: call.callId, name: call.name, input: call.input }, call.own);
      if (call.own?.freeform === true) {
        // The text is known when its JSON wrapper is complete, so it is sent in one delta.
        text += emit("response.custom_tool_call_input.delta", { ...place, delta: item["input"] });
        text += emit("response.custom_tool_call_input.done", { ...place, input: item["input"] });
      } else if (call.own?.search !== true) {
        const whole = { ...place, name: item["name"], arguments: item["arguments"] };
        text += emit("response.function_call_arguments.done", whole);
      }
      text += done(call.index, item);
    }
    calls.clear();
    return text;
  }

  const closeAll = () => closeOpen() + closeCalls();

  function openMessage(): { message: OpenMessage; text: string } {
    if (open?.type === "message") return { message: open, text: "" };
    let text = closeAll();
    const message: OpenMessage = {
      type: "message",
      id: newId("msg"),
      index: reserve(),
      content: [],
      part: undefined,
    };
    open = message;
    const item = { id: message.id, type: "message", status: "in_progress", role: "assistant", content: [] };
    text += added(message.index, item);
    return { message, text };
  }

  function say(ir: number, kind: "output_text" | "refusal", delta: string, logprobs?: unknown): string {
    const { message, text: opening } = openMessage();
    let text = opening;
    if (message.part?.ir !== ir || message.part.kind !== kind) {
      text += closeContent(message);
      message.part = { ir, kind, text: "", annotations: [], logprobs: [] };
      const part =
        kind === "refusal"
          ? { type: kind, refusal: "" }
          : { type: kind, text: "", annotations: [], logprobs: [] };
      const place = {
        item_id: message.id,
        output_index: message.index,
        content_index: message.content.length,
      };
      text += emit("response.content_part.added", { ...place, part });
    }
    message.part.text += delta;
    const place = {
      item_id: message.id,
      output_index: message.index,
      content_index: message.content.length,
      delta,
    };
    if (kind === "refusal") return text + emit("response.refusal.delta", place);
    const encoded = encodeLogprobs(logprobs);
    append(message.part.logprobs, encoded);
    return text + emit("response.output_text.delta", { ...place, logprobs: encoded });
  }

  function openReasoning(ir: number): { item: OpenReasoning; text: string } {
    if (open?.type === "reasoning" && open.ir === ir) return { item: open, text: "" };
    const text = closeAll();
    const item: OpenReasoning = {
      type: "reasoning",
      id: newId("rs"),
      index: reserve(),
      ir,
      text: "",
      proof: {},
    };
    open = item;
    return { item, text: text + added(item.index, { id: item.id, type: "reasoning", summary: [] }) };
  }

  function think(ir: number, delta: string): string {
    const { item, text: opening } = openReasoning(ir);
    const place = { item_id: item.id, output_index: item.index, summary_index: 0 };
    let text = opening;
    if (item.text === "") {
      text += emit("response.reasoning_summary_part.added", {
        ...place,
        part: { type: "summary_text", text: "" },
      });
    }
    item.text += delta;
    return text + emit("response.reasoning_summary_text.delta", { ...place, delta });
  }

  function prove(event: Extract<ChatEvent, { type: "reasoning-proof" }>): string {
    const { item, text } = openReasoning(event.part);
    if (event.signature !== undefined) item.proof.signature = event.signature;
    if (event.encrypted !== undefined) item.proof.encrypted = event.encrypted;
    if (event.origin !== undefined) item.proof.origin = event.origin;
    return text;
  }

  /**
   * Returns the reasoning item that carries a call's proof. This format has no field for it on the call.
   * The item precedes the call and is sent back with it.
   */
  function proofOfCall({ part, signature, origin }: Extract<ChatEvent, { type: "tool-call" }>): string {
    if (signature === undefined) return "";
    return prove({
      type: "reasoning-proof",
      choice: 0,
      part: open?.type === "reasoning" ? open.ir : part,
      signature,
      origin,
    });
  }

  function call(event: Extract<ChatEvent, { type: "tool-call" }>): string {
    const text = proofOfCall(event) + closeOpen();
    const { id: callId, name } = event;
    const own = names.get(name);
    const id = newId(prefixOf(own));
    const state = { id, index: reserve(), callId, name, input: "", own };
    calls.set(event.part, state);
    const whole = callItem(id, { id: callId, name, input: "" }, own);
    return text + added(state.index, { ...whole, ...emptyInput(own), status: "in_progress" });
  }

  function input(part: number, delta: string): string {
    const state = calls.get(part);
    if (state === undefined) return "";
    state.input += delta;
    // Complete text or objects have no deltas.
    if (state.own?.freeform === true || state.own?.search === true) return "";
    const place = { item_id: state.id, output_index: state.index, delta };
    return emit("response.function_call_arguments.delta", place);
  }

  function cite(citation: Citation): string {
    if (open?.type !== "message" || open.part?.kind !== "output_text") return "";
    const { annotations } = open.part;
    const place = { item_id: open.id, output_index: open.index, content_index: open.content.length };
    return encodeAnnotations([placeCitation(citation, open.part.text)])
      .map((annotation) => {
        annotations.push(annotation);
        const at = { ...place, annotation_index: annotations.length - 1, annotation };
        return emit("response.output_text.annotation.added", at);
      })
      .join("");
  }

  function whole(item: Wire): string {
    const text = closeAll();
    const index = reserve();
    return text + added(index, { ...item, status: "in_progress" }) + done(index, item);
  }

  function media(event: Extract<ChatEvent, { type: "media" }>): string {
    const { media } = event;
    if (media.type === "audio") {
      const text = soundText(media);
      return text === "" ? "" : say(event.part, "output_text", text);
    }
    if (media.type !== "image" || media.source.type === "file") return "";
    if (media.source.type === "data") return whole(imageItem(newId("msg"), media.source));
    const url = media.source.type === "url" ? media.source.url : dataUrl(media.source);
    return say(event.part, "output_text", `![image](${url})`);
  }

  function begin(event: Extract<ChatEvent, { type: "start" }>): string {
    const created = event.created ?? Math.floor(Date.now() / 1000);
    head = responseHead(request, event.id, event.model || request.model, created);
    newId = itemIds(head["id"]);
    const response = { ...head, status: "in_progress", incomplete_details: null, output: [], usage: null };
    return emit("response.created", { response }) + emit("response.in_progress", { response });
  }

  function finish(event: Extract<ChatEvent, { type: "finish" }>): string {
    const text = closeAll();
    const tier = openaiTier(event.serviceTier) ?? head["service_tier"];
    const response = completeResponse({ ...head, service_tier: tier }, output, reason, event.usage);
    return text + emit(`response.${String(response["status"])}`, { response });
  }

  function encode(event: Exclude<ChatEvent, { type: "finish" }>): string {
    switch (event.type) {
      case "start":
        return begin(event);
      case "text":
        return say(event.part, "output_text", event.text, event.logprobs);
      case "refusal":
        return say(event.part, "refusal", event.text);
      case "reasoning":
        return think(event.part, event.text);
      case "reasoning-proof":
        return prove(event);
      case "tool-call":
        return call(event);
      case "tool-input":
        return input(event.part, event.text);
      case "citation":
        return cite(event.citation);
      case "media":
        return media(event);
      case "foreign": {
        const own = ownFields("openai-responses", event.extra);
        return own === undefined ? "" : whole(own);
      }
      case "stop":
        ({ reason } = event);
        return "";
      default:
        return "";
    }
  }

  return (event) => {
    if (event.type === "finish") return { text: finish(event), last: true };
    // This format supports one choice only.
    if ("choice" in event && event.choice !== 0) return { text: "", last: false };
    return { text: encode(event), last: false };
  };
}
