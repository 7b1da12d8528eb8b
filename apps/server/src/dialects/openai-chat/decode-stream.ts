import { append } from "#dialects/append.ts";
import type { Frame, StreamDecoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent, Usage } from "#dialects/ir.ts";
import { originOfFormat } from "#dialects/reasoning/proof.ts";
import { inOrder } from "#dialects/stream/stream-order.ts";
import { argumentsText, compact, parseRecord, readAs } from "#dialects/wire.ts";
import { callSignature } from "./decode-messages.ts";
import { decodeErrorObject } from "./error.ts";
import {
  decodeAudio,
  decodeCitation,
  decodeFinish,
  decodeImages,
  readContent,
  withRefusal,
} from "./response.ts";
import { type ChatAnswerMessage, chatChunk } from "./schema.ts";
import { latestUsage } from "./usage.ts";

interface ToolCallState {
  part: number;
  id: string;
  /** Input that arrived before the name. */
  waiting: string;
  named: boolean;
}

type ToolCallDelta = NonNullable<ChatAnswerMessage["tool_calls"]>[number];
type TextKind = "text" | "refusal" | "reasoning";

interface ChoiceDecoder {
  delta(delta: ChatAnswerMessage, logprobs: unknown): ChatEvent[];
  /** Stores the reason; some providers send one after each of several calls. */
  stop(raw: string): void;
  /** Returns the finish reason, after all other events. */
  finish(): ChatEvent;
  readonly stopped: boolean;
}

/** Decodes the deltas of one choice and numbers its parts. */
function decodeChoice(choice: number, answerId: string): ChoiceDecoder {
  const calls = new Map<number, ToolCallState>();
  let nextPart = 0;
  let current: { type: TextKind; part: number } | undefined;
  let lastReasoning: number | undefined;
  let lastText: number | undefined;
  let audioPart: number | undefined;
  let audioId = "audio";
  let plainReasoning = false;
  let stopped: string | undefined;
  let refused = false;

  function newPart(): number {
    current = undefined;
    nextPart += 1;
    return nextPart - 1;
  }

  function say(type: TextKind, text: string): ChatEvent {
    if (current?.type !== type) current = { type, part: newPart() };
    const { part } = current;
    if (type === "reasoning") lastReasoning = part;
    if (type === "text") lastText = part;
    return { type, choice, part, text };
  }

  /**
   * Reads reasoning. Providers that send details often repeat the text as plain reasoning; it is read once.
   */
  function reason(delta: ChatAnswerMessage, events: ChatEvent[]): void {
    const plain = delta.reasoning_content ?? delta.reasoning;
    if (plain) {
      plainReasoning = true;
      events.push(say("reasoning", plain));
    }
    for (const detail of delta.reasoning_details ?? []) {
      const text = detail.text ?? detail.summary;
      if (!plainReasoning && text) events.push(say("reasoning", text));
      const signature = detail.signature || undefined;
      const encrypted = detail.data || undefined;
      if (signature === undefined && encrypted === undefined) continue;
      const part = lastReasoning ?? newPart();
      const proof = compact({ signature, encrypted, id: detail.id || undefined });
      const origin = originOfFormat(detail.format);
      events.push({ type: "reasoning-proof", choice, part, ...proof, ...origin });
      current = undefined;
      lastReasoning = undefined;
    }
  }

  function callAt(delta: ToolCallDelta, position: number): ToolCallState {
    const index = delta.index ?? (delta.id ? calls.size : position);
    const known = calls.get(index);
    const another = known?.named === true && !!delta.id && delta.id !== known.id && !!delta.function?.name;
    if (known !== undefined && !another) return known;
    // Some providers number every call 0 and send a new id with each.
    // The finished call then moves to a free key.
    if (known !== undefined) calls.set(-calls.size, known);
    const part = newPart();
    const call = { part, id: delta.id || `call_${answerId}_${part}`, waiting: "", named: false };
    calls.set(index, call);
    return call;
  }

  function call(delta: ToolCallDelta, position: number, events: ChatEvent[]): void {
    const state = callAt(delta, position);
    const { part, id } = state;
    const text = argumentsText(delta.function?.arguments);
    if (state.named) {
      if (text !== "") events.push({ type: "tool-input", choice, part, text });
      return;
    }
    state.waiting += text;
    const name = delta.function?.name;
    if (!name) return;
    state.named = true;
    events.push({ type: "tool-call", choice, part, id, name, ...callSignature(delta.extra_content) });
    if (state.waiting !== "") events.push({ type: "tool-input", choice, part, text: state.waiting });
  }

  function cite(delta: ChatAnswerMessage, events: ChatEvent[]): void {
    for (const each of delta.annotations ?? []) {
      const citation = decodeCitation(each);
      if (citation === undefined || lastText === undefined) continue;
      events.push({ type: "citation", choice, part: lastText, citation });
    }
  }

  function show(delta: ChatAnswerMessage, events: ChatEvent[]): void {
    for (const media of decodeImages(delta.images)) {
      events.push({ type: "media", choice, part: newPart(), media });
    }
    if (!delta.audio) return;
    // Sound arrives in pieces that form one part.
    audioPart ??= newPart();
    audioId = delta.audio.id ?? audioId;
    const media = decodeAudio({ ...delta.audio, id: audioId }, "pcm16");
    events.push({ type: "media", choice, part: audioPart, media });
  }

  return {
    get stopped() {
      return stopped !== undefined;
    },
    delta(delta, logprobs) {
      const events: ChatEvent[] = [];
      reason(delta, events);
      for (const piece of readContent(delta.content)) {
        const event = say(piece.thought ? "reasoning" : "text", piece.text);
        if (event.type === "text" && logprobs !== undefined && logprobs !== null) event.logprobs = logprobs;
        events.push(event);
      }
      if (delta.refusal) {
        refused = true;
        events.push(say("refusal", delta.refusal));
      }
      cite(delta, events);
      show(delta, events);
      for (const [position, each] of (delta.tool_calls ?? []).entries()) call(each, position, events);
      if (delta.function_call) call({ index: 0, function: delta.function_call }, 0, events);
      return events;
    },
    stop(raw) {
      stopped ??= raw;
    },
    finish() {
      const reason = withRefusal(decodeFinish(stopped, calls.size > 0), refused);
      return { type: "stop", choice, reason, ...(stopped !== undefined && { raw: stopped }) };
    },
  };
}

export function decodeStream(): StreamDecoder {
  const choices = new Map<number, ChoiceDecoder>();
  let started = false;
  let answerId = "";
  let usage: Usage | undefined;
  let serviceTier: string | undefined;

  function choiceAt(index: number): ChoiceDecoder {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const state = decodeChoice(index, answerId);
    choices.set(index, state);
    return state;
  }

  function finish(): ChatEvent[] {
    const stops = [...choices.values()].map((state) => state.finish());
    return [...stops, { type: "finish", usage, ...(serviceTier !== undefined && { serviceTier }) }];
  }

  function decode(chunk: Wire): ChatEvent[] {
    if (chunk["error"] !== undefined && chunk["error"] !== null) {
      return [{ type: "error", error: decodeErrorObject(chunk, 0) }];
    }
    const wire = readAs(chatChunk, chunk);
    if (wire === undefined) return [];
    const beside = wire.choices?.find((choice) => choice.usage !== undefined)?.usage;
    usage = latestUsage(wire.usage ?? beside ?? wire.x_groq?.usage, usage);
    serviceTier = wire.service_tier ?? serviceTier;
    const events: ChatEvent[] = [];
    // Some providers send a first chunk without a choice or an id.
    if (!started && (wire.id || (wire.choices ?? []).length > 0)) {
      started = true;
      answerId = wire.id ?? "";
      const created = wire.created ?? undefined;
      events.push({
        type: "start",
        id: answerId,
        model: wire.model ?? "",
        ...(created !== undefined && { created }),
      });
    }
    for (const [position, choice] of (wire.choices ?? []).entries()) {
      const index = choice.index ?? position;
      // A whole message after deltas repeats them.
      const delta = choice.delta ?? (choices.has(index) ? undefined : choice.message);
      const state = choiceAt(index);
      if (delta) append(events, state.delta(delta, choice.logprobs));
      if (choice.finish_reason) state.stop(choice.finish_reason);
    }
    return events;
  }

  return inOrder({
    frame(frame: Frame) {
      if (frame.data.trim() === "[DONE]") return finish();
      const chunk = parseRecord(frame.data);
      return chunk === undefined ? [] : decode(chunk);
    },
    end() {
      const states = [...choices.values()];
      return states.length > 0 && states.every((state) => state.stopped) ? finish() : [];
    },
  });
}
