import type { StreamEncoder, Wire } from "#dialects/dialect.ts";
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

/**
 * Encodes events, one block at a time, because this API cannot interleave blocks. Of calls that stream in
 * parallel, the first is sent as it arrives; the others wait.
 */
export function encodeStream(request: ChatRequest): StreamEncoder {
  /** Part of the open block, and its type in this API. */
  let open: { part: number; type: string } | undefined;
  let nextIndex = 0;
  let hasSpoken = false;
  const waiting = new Map<number, WaitingCall>();
  let reason: FinishReason = "stop";
  let raw: string | undefined;

  function delta(body: Wire): string {
    return event("content_block_delta", { index: nextIndex - 1, delta: body });
  }

  function close(): string {
    if (open === undefined) return "";
    open = undefined;
    return event("content_block_stop", { index: nextIndex - 1 });
  }

  function start(part: number, type: string, block: Wire): string {
    open = { part, type };
    nextIndex += 1;
    return event("content_block_start", { index: nextIndex - 1, content_block: { type, ...block } });
  }

  function closeAll(): string {
    let text = close();
    for (const [part, call] of waiting) {
      text += start(part, "tool_use", toolUse(call));
      text += delta({ type: "input_json_delta", partial_json: call.input }) + close();
    }
    waiting.clear();
    return text;
  }

  /** Opens the block of a part unless it is already open. */
  function ensure(part: number, type: string, block: Wire): string {
    if (open?.part === part && open.type === type) return "";
    return closeAll() + start(part, type, block);
  }

  function textOf(part: number, text: string): string {
    const opening = ensure(part, "text", { text: "" });
    hasSpoken = true;
    return text === "" ? opening : opening + delta({ type: "text_delta", text });
  }

  function thinking(part: number): string {
    return ensure(part, "thinking", noThought);
  }

  function prove(proof: Extract<ChatEvent, { type: "reasoning-proof" }>): string {
    const isOpen = open?.part === proof.part && open.type === "thinking";
    // The proof belongs to the text. Clients take the last block for the response,
    // and no provider requires this proof back.
    if (!isOpen && hasSpoken && proof.encrypted === undefined) return "";
    if (!isOpen && proof.encrypted !== undefined) {
      const data = packProof(proof, "encrypted", "anthropic") ?? "";
      return closeAll() + start(proof.part, "redacted_thinking", { data }) + close();
    }
    const signature = packProof(proof, "signature", "anthropic") ?? "";
    return thinking(proof.part) + delta({ type: "signature_delta", signature });
  }

  function call(begun: Extract<ChatEvent, { type: "tool-call" }>): string {
    if (open?.type === "tool_use") {
      waiting.set(begun.part, { id: begun.id, name: begun.name, input: "" });
      return "";
    }
    // This API has no field for a call's proof.
    // A thinking block before the call carries it and is sent back with it.
    const proof =
      begun.signature === undefined
        ? ""
        : (open?.type === "thinking" ? "" : closeAll() + start(begun.part, "thinking", noThought)) +
          delta({ type: "signature_delta", signature: callProof(begun) });
    return proof + closeAll() + start(begun.part, "tool_use", toolUse(begun));
  }

  function input(part: number, text: string): string {
    const call = waiting.get(part);
    if (call !== undefined) {
      call.input += text;
      return "";
    }
    if (open?.part !== part || open.type !== "tool_use") return "";
    return delta({ type: "input_json_delta", partial_json: text });
  }

  function begin(started: Extract<ChatEvent, { type: "start" }>): string {
    const message = {
      id: started.id || newId(),
      type: "message",
      role: "assistant",
      model: started.model || request.model,
      content: [],
      stop_reason: null,
      ...noDetails,
      usage: encodeUsage(started.usage),
    };
    return event("message_start", { message });
  }

  function finish(finished: Extract<ChatEvent, { type: "finish" }>): string {
    const stopReason = raw === "stop_sequence" ? raw : encodeFinish(reason);
    return (
      closeAll() +
      event("message_delta", {
        delta: { stop_reason: stopReason, stop_sequence: null, stop_details: null, container: null },
        usage: encodeCounts(finished.usage),
      }) +
      event("message_stop", {})
    );
  }

  function encode(next: Exclude<ChatEvent, { type: "finish" }>): string {
    switch (next.type) {
      case "start":
        return begin(next);
      case "text":
      case "refusal":
        return textOf(next.part, next.text);
      case "reasoning":
        return thinking(next.part) + delta({ type: "thinking_delta", thinking: next.text });
      case "reasoning-proof":
        return prove(next);
      case "tool-call":
        return call(next);
      case "tool-input":
        return input(next.part, next.text);
      case "citation": {
        const [citation] = encodeCitation(next.citation);
        if (citation === undefined || open?.part !== next.part) return "";
        return delta({ type: "citations_delta", citation });
      }
      case "media": {
        const text = mediaText(next.media);
        return text === "" ? "" : textOf(next.part, text);
      }
      case "foreign": {
        const own = ownFields("anthropic", next.extra);
        if (own === undefined) return "";
        const { type, ...block } = own;
        return closeAll() + start(next.part, String(type), block) + close();
      }
      case "stop":
        ({ reason, raw } = next);
        return "";
      default:
        return "";
    }
  }

  return (next) => {
    if (next.type === "finish") return { text: finish(next), last: true };
    // This API supports one choice only.
    if ("choice" in next && next.choice !== 0) return { text: "", last: false };
    return { text: encode(next), last: false };
  };
}
