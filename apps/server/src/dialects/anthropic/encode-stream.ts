import type { EncodedEvent, StreamEncoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent, ChatRequest, FinishReason } from "#dialects/ir.ts";
import { packProof } from "#dialects/reasoning/proof.ts";
import { ownFields } from "#dialects/wire.ts";
import { encodeCitation } from "./citation.ts";
import { calledBy, callProof, encodeFinish, mediaText, newId, noDetails } from "./response.ts";
import { encodeCounts, encodeUsage } from "./usage.ts";

function event(type: string, fields: Wire): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

interface WaitingCall {
  id: string;
  name: string;
  input: string;
}

const noThought = { thinking: "", signature: "" };
const toolUse = ({ id, name }: { id: string; name: string }) => ({ ...calledBy, id, name, input: {} });

export function encodeStream(request: ChatRequest): StreamEncoder {
  const encoder = new AnthropicEncoder(request);
  return (event) => encoder.encode(event);
}

/**
 * Encodes events, one block at a time, because this API cannot interleave blocks. Of calls that stream in
 * parallel, the first is sent as it arrives; the others wait.
 */
class AnthropicEncoder {
  readonly #request: ChatRequest;
  /** Part of the open block, and its type in this API. */
  #open: { part: number; type: string } | undefined;
  #nextIndex = 0;
  #hasSpoken = false;
  readonly #waiting = new Map<number, WaitingCall>();
  #reason: FinishReason = "stop";
  #raw: string | undefined;

  constructor(request: ChatRequest) {
    this.#request = request;
  }

  encode(next: ChatEvent): EncodedEvent {
    if (next.type === "finish") return { text: this.#finish(next), last: true };
    // This API supports one choice only.
    if ("choice" in next && next.choice !== 0) return { text: "", last: false };
    return { text: this.#frames(next), last: false };
  }

  #delta(body: Wire): string {
    return event("content_block_delta", { index: this.#nextIndex - 1, delta: body });
  }

  #close(): string {
    if (this.#open === undefined) return "";
    this.#open = undefined;
    return event("content_block_stop", { index: this.#nextIndex - 1 });
  }

  #start(part: number, type: string, block: Wire): string {
    this.#open = { part, type };
    this.#nextIndex += 1;
    return event("content_block_start", { index: this.#nextIndex - 1, content_block: { type, ...block } });
  }

  #closeAll(): string {
    let text = this.#close();
    for (const [part, call] of this.#waiting) {
      text += this.#start(part, "tool_use", toolUse(call));
      text += this.#delta({ type: "input_json_delta", partial_json: call.input }) + this.#close();
    }
    this.#waiting.clear();
    return text;
  }

  /** Opens the block of a part unless it is already open. */
  #ensure(part: number, type: string, block: Wire): string {
    if (this.#open?.part === part && this.#open.type === type) return "";
    return this.#closeAll() + this.#start(part, type, block);
  }

  #textOf(part: number, text: string): string {
    const opening = this.#ensure(part, "text", { text: "" });
    this.#hasSpoken = true;
    return text === "" ? opening : opening + this.#delta({ type: "text_delta", text });
  }

  #thinking(part: number): string {
    return this.#ensure(part, "thinking", noThought);
  }

  #prove(proof: Extract<ChatEvent, { type: "reasoning-proof" }>): string {
    const isOpen = this.#open?.part === proof.part && this.#open.type === "thinking";
    // The proof belongs to the text. Clients take the last block for the response,
    // and no provider requires this proof back.
    if (!isOpen && this.#hasSpoken && proof.encrypted === undefined) return "";
    if (!isOpen && proof.encrypted !== undefined) {
      const data = packProof(proof, "encrypted", "anthropic") ?? "";
      return this.#closeAll() + this.#start(proof.part, "redacted_thinking", { data }) + this.#close();
    }
    const signature = packProof(proof, "signature", "anthropic") ?? "";
    return this.#thinking(proof.part) + this.#delta({ type: "signature_delta", signature });
  }

  #call(begun: Extract<ChatEvent, { type: "tool-call" }>): string {
    if (this.#open?.type === "tool_use") {
      this.#waiting.set(begun.part, { id: begun.id, name: begun.name, input: "" });
      return "";
    }
    // This API has no field for a call's proof.
    // A thinking block before the call carries it and is sent back with it.
    const proof =
      begun.signature === undefined
        ? ""
        : (this.#open?.type === "thinking"
            ? ""
            : this.#closeAll() + this.#start(begun.part, "thinking", noThought)) +
          this.#delta({ type: "signature_delta", signature: callProof(begun) });
    return proof + this.#closeAll() + this.#start(begun.part, "tool_use", toolUse(begun));
  }

  #input(part: number, text: string): string {
    const call = this.#waiting.get(part);
    if (call !== undefined) {
      call.input += text;
      return "";
    }
    if (this.#open?.part !== part || this.#open.type !== "tool_use") return "";
    return this.#delta({ type: "input_json_delta", partial_json: text });
  }

  #begin(started: Extract<ChatEvent, { type: "start" }>): string {
    const message = {
      id: started.id || newId(),
      type: "message",
      role: "assistant",
      model: started.model || this.#request.model,
      content: [],
      stop_reason: null,
      ...noDetails,
      usage: encodeUsage(started.usage),
    };
    return event("message_start", { message });
  }

  #finish(finished: Extract<ChatEvent, { type: "finish" }>): string {
    const stopReason = this.#raw === "stop_sequence" ? this.#raw : encodeFinish(this.#reason);
    return (
      this.#closeAll() +
      event("message_delta", {
        delta: { stop_reason: stopReason, stop_sequence: null, stop_details: null, container: null },
        usage: encodeCounts(finished.usage),
      }) +
      event("message_stop", {})
    );
  }

  /** Clients read the input of a call from the deltas, also where the provider ran the tool. */
  #whole(part: number, { type, ...block }: Wire): string {
    const { input, ...call } = block;
    if (type !== "server_tool_use" || input === undefined)
      return this.#closeAll() + this.#start(part, String(type), block) + this.#close();
    const begun = this.#closeAll() + this.#start(part, type, { ...call, input: {} });
    const delta = this.#delta({ type: "input_json_delta", partial_json: JSON.stringify(input) });
    return begun + delta + this.#close();
  }

  #frames(next: Exclude<ChatEvent, { type: "finish" }>): string {
    switch (next.type) {
      case "start":
        return this.#begin(next);
      case "text":
      case "refusal":
        return this.#textOf(next.part, next.text);
      case "reasoning":
        return this.#thinking(next.part) + this.#delta({ type: "thinking_delta", thinking: next.text });
      case "reasoning-proof":
        return this.#prove(next);
      case "tool-call":
        return this.#call(next);
      case "tool-input":
        return this.#input(next.part, next.text);
      case "citation": {
        const [citation] = encodeCitation(next.citation);
        if (citation === undefined || this.#open?.part !== next.part) return "";
        return this.#delta({ type: "citations_delta", citation });
      }
      case "media": {
        const text = mediaText(next.media);
        return text === "" ? "" : this.#textOf(next.part, text);
      }
      case "foreign": {
        const own = ownFields("anthropic", next.extra);
        if (own === undefined) return "";
        return this.#whole(next.part, own);
      }
      case "stop":
        ({ reason: this.#reason, raw: this.#raw } = next);
        return "";
      default:
        return "";
    }
  }
}
