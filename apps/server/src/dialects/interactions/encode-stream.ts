import type { StreamEncoder, Wire } from "#dialects/dialect.ts";
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

/**
 * Encodes steps as they arrive, and the complete interaction at the end. Calls may stream in parallel, because every event
 * names its step. Everything else is closed before the next step starts.
 */
export function encodeStream(request: ChatRequest): StreamEncoder {
  const steps: Wire[] = [];
  const calls = new Map<number, OpenCall>();
  let open: Open | undefined;
  let head: Wire = {};
  let reason: FinishReason = "stop";
  let codes = 0;

  function emit(type: string, fields: Wire): string {
    return `event: ${type}\ndata: ${JSON.stringify({ event_type: type, ...fields })}\n\n`;
  }

  /** Starts a step. What streams is not in it yet. */
  function start(step: Wire, visible = step): { index: number; text: string } {
    steps.push(step);
    const index = steps.length - 1;
    return { index, text: emit("step.start", { index, step: visible }) };
  }

  const delta = (index: number, fields: Wire) => emit("step.delta", { index, delta: fields });
  const stop = (index: number) => emit("step.stop", { index });

  function closeOpen(): string {
    if (open === undefined) return "";
    const { index } = open;
    open = undefined;
    return stop(index);
  }

  function closeCalls(): string {
    let text = "";
    for (const { index, step, input } of calls.values()) {
      step["arguments"] = inputObject(input);
      text += stop(index);
    }
    calls.clear();
    return text;
  }

  const closeAll = () => closeOpen() + closeCalls();

  function openStep(type: Open["type"], part: number): { step: Open; text: string } {
    if (open?.type === type && (type === "model_output" || open.part === part))
      return { step: open, text: "" };
    const closing = closeAll();
    const step: Wire = type === "model_output" ? { type, content: [] } : { type };
    const { index, text } = start(step, { type });
    open = { type, index, step, part };
    return { step: open, text: closing + text };
  }

  const contentOf = ({ step }: Open) => step["content"] as Wire[];

  function say(part: number, piece: string): string {
    const { step, text } = openStep("model_output", part);
    const last = contentOf(step).at(-1);
    if (last?.["type"] === "text" && step.part === part) last["text"] = String(last["text"]) + piece;
    else contentOf(step).push({ type: "text", text: piece });
    step.part = part;
    return text + delta(step.index, { type: "text", text: piece });
  }

  function think(part: number, thought: string): string {
    const { step, text } = openStep("thought", part);
    const [last] = (step.step["summary"] ?? []) as Wire[];
    if (last === undefined) step.step["summary"] = [{ type: "text", text: thought }];
    else last["text"] = String(last["text"]) + thought;
    const content = { type: "text", text: thought };
    return text + delta(step.index, { type: "thought_summary", content });
  }

  /** A call has no signature of its own in this format: the thought before it carries it. */
  function prove(part: number, proof: Parameters<typeof signatureOf>[0]): string {
    const signature = signatureOf(proof);
    if (signature === undefined) return "";
    const { step, text } = openStep("thought", part);
    step.step["signature"] = signature;
    return text + delta(step.index, { type: "thought_signature", signature });
  }

  function call({ part, id, name, signature, origin }: Extract<ChatEvent, { type: "tool-call" }>): string {
    const isOpen = open?.type === "thought" && open.step["signature"] === undefined;
    const proof = prove(isOpen && open !== undefined ? open.part : part, { signature, origin });
    const closing = closeOpen();
    const step: Wire = { type: "function_call", id, name, arguments: {} };
    const { index, text } = start(step);
    calls.set(part, { index, step, input: "" });
    return proof + closing + text;
  }

  function input(part: number, given: string): string {
    const state = calls.get(part);
    if (state === undefined) return "";
    state.input += given;
    return delta(state.index, { type: "arguments_delta", arguments: given });
  }

  function cite({ part, citation }: Extract<ChatEvent, { type: "citation" }>): string {
    const last = open?.type === "model_output" ? contentOf(open).at(-1) : undefined;
    if (open === undefined || last?.["type"] !== "text" || open.part !== part) return "";
    const annotations = encodeAnnotations([citation], String(last["text"]));
    if (annotations.length === 0) return "";
    last["annotations"] = [...((last["annotations"] ?? []) as Wire[]), ...annotations];
    return delta(open.index, { type: "text_annotation_delta", annotations });
  }

  function media(part: number, given: Part): string {
    const content = encodeContent(given);
    if (content === undefined) return "";
    if (content["type"] === "text") return say(part, String(content["text"]));
    const { step, text } = openStep("model_output", part);
    contentOf(step).push(content);
    step.part = part;
    return text + delta(step.index, content);
  }

  function code(event: Extract<ChatEvent, { type: "foreign" }>): string {
    if (event.extra.fields["executableCode"] !== undefined) codes += 1;
    const step = encodeCode(event, codeId(codes));
    if (step === undefined) return "";
    const closing = closeAll();
    const { index, text } = start(step);
    return closing + text + stop(index);
  }

  function begin({ model, created }: Extract<ChatEvent, { type: "start" }>): string {
    head = interactionHead(request, model, created ?? Math.floor(Date.now() / 1_000));
    const status = "in_progress";
    return (
      emit("interaction.created", { interaction: { ...head, status } }) +
      emit("interaction.status_update", { interaction_id: head["id"], status })
    );
  }

  function finish(event: Extract<ChatEvent, { type: "finish" }>): string {
    const closing = closeAll();
    const interaction = completeInteraction(head, steps, reason, event);
    return `${closing}${emit("interaction.completed", { interaction })}event: done\ndata: [DONE]\n\n`;
  }

  function encode(event: Exclude<ChatEvent, { type: "finish" }>): string {
    switch (event.type) {
      case "start":
        return begin(event);
      case "text":
      case "refusal":
        return event.text === "" ? "" : say(event.part, event.text);
      case "reasoning":
        return event.text === "" ? "" : think(event.part, event.text);
      case "reasoning-proof":
        return prove(event.part, event);
      case "tool-call":
        return call(event);
      case "tool-input":
        return input(event.part, event.text);
      case "citation":
        return cite(event);
      case "media":
        return media(event.part, event.media);
      case "foreign":
        return code(event);
      case "stop":
        ({ reason } = event);
        return "";
      default:
        return "";
    }
  }

  return (event) => {
    if (event.type === "finish") return { text: finish(event), last: true };
    // This format has one response only.
    if ("choice" in event && event.choice !== 0) return { text: "", last: false };
    return { text: encode(event), last: false };
  };
}
