import { append } from "#dialects/append.ts";
import type { Frame, StreamDecoder, Wire } from "#dialects/dialect.ts";
import type { ChatEvent } from "#dialects/ir.ts";
import { unpackCallProof, unpackProof } from "#dialects/reasoning/proof.ts";
import { inOrder } from "#dialects/stream/stream-order.ts";
import { asRecord, parseRecord, readAs } from "#dialects/wire.ts";
import { decodeMedia } from "./decode-contents.ts";
import { decodeErrorObject } from "./error.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { callId, decodeCitations, decodeFinish, isBlocked, searchesOf, usageIn } from "./response.ts";
import { type AnswerPart, type GeminiAnswer, geminiAnswer } from "./schema.ts";

interface CandidateState {
  nextPart: number;
  current: { type: "text" | "reasoning"; part: number } | undefined;
  lastText: number | undefined;
  called: boolean;
  finish: string | undefined;
}

/**
 * Decodes chunks, which are small responses: their parts continue the last one or start another. No chunk is
 * marked as the last (old models send a finish reason in each), so the reason is emitted when the stream has
 * ended.
 */
export function decodeStream(): StreamDecoder {
  const candidates = new Map<number, CandidateState>();
  let answerId = "";
  let started = false;
  let usage: unknown;
  let searches = 0;
  let blocked = false;

  function candidateAt(index: number): CandidateState {
    const known = candidates.get(index);
    if (known !== undefined) return known;
    const state: CandidateState = {
      nextPart: 0,
      current: undefined,
      lastText: undefined,
      called: false,
      finish: undefined,
    };
    candidates.set(index, state);
    return state;
  }

  function newPart(state: CandidateState): number {
    state.current = undefined;
    state.nextPart += 1;
    return state.nextPart - 1;
  }

  function say(choice: number, state: CandidateState, type: "text" | "reasoning", text: string): ChatEvent {
    if (state.current?.type !== type) state.current = { type, part: newPart(state) };
    const { part } = state.current;
    if (type === "text") state.lastText = part;
    return { type, choice, part, text };
  }

  function textEvents(choice: number, state: CandidateState, wire: AnswerPart): ChatEvent[] {
    const type = wire.thought === true ? "reasoning" : "text";
    const events: ChatEvent[] = wire.text ? [say(choice, state, type, wire.text)] : [];
    if (!wire.thoughtSignature) return events;
    const proof = unpackProof(wire.thoughtSignature, "signature");
    const isThought = state.current?.type === "reasoning";
    const part = isThought && state.current ? state.current.part : newPart(state);
    state.current = undefined;
    return [...events, { type: "reasoning-proof", choice, part, ...proof }];
  }

  function decodePart(choice: number, state: CandidateState, wire: AnswerPart): ChatEvent[] {
    if (wire.functionCall) {
      state.called = true;
      const part = newPart(state);
      const { id, name, args } = wire.functionCall;
      const signature = unpackCallProof(wire.thoughtSignature);
      const call = { id: id || callId(answerId, choice, part), name: name ?? "" };
      return [
        { type: "tool-call", choice, part, ...call, ...signature },
        { type: "tool-input", choice, part, text: JSON.stringify(asRecord(args) ?? {}) },
      ];
    }
    if (wire.inlineData?.data) {
      const media = decodeMedia(wire.inlineData.mimeType ?? "image/png", wire.inlineData.data);
      return [{ type: "media", choice, part: newPart(state), media }];
    }
    if (typeof wire.text === "string") return textEvents(choice, state, wire);
    return [{ type: "foreign", choice, part: newPart(state), extra: { dialect: "gemini", fields: wire } }];
  }

  function decode(chunk: GeminiAnswer): ChatEvent[] {
    const events: ChatEvent[] = [];
    if (!started) {
      started = true;
      answerId = chunk.responseId ?? "";
      events.push({ type: "start", id: answerId, model: chunk.modelVersion ?? "" });
    }
    usage = chunk.usageMetadata ?? usage;
    searches += searchesOf(chunk);
    if (isBlocked(chunk)) {
      blocked = true;
      candidateAt(0).finish = "PROHIBITED_CONTENT";
    }
    for (const [position, candidate] of (chunk.candidates ?? []).entries()) {
      const choice = candidate.index ?? position;
      const state = candidateAt(choice);
      const output = (candidate.content?.parts ?? []).flatMap((part) => decodePart(choice, state, part));
      const logprobs = decodeLogprobs(candidate.logprobsResult);
      const spoken = output.findLast((event) => event.type === "text");
      if (spoken !== undefined && logprobs !== undefined) spoken.logprobs = logprobs;
      append(events, output);
      for (const citation of decodeCitations(candidate.groundingMetadata)) {
        if (state.lastText === undefined) break;
        events.push({ type: "citation", choice, part: state.lastText, citation });
      }
      state.finish = candidate.finishReason ?? state.finish;
    }
    return events;
  }

  return inOrder({
    frame(frame: Frame) {
      const chunk: Wire | undefined = parseRecord(frame.data);
      if (chunk === undefined) return [];
      if (asRecord(chunk["error"]) !== undefined)
        return [{ type: "error", error: decodeErrorObject(chunk, 0) }];
      const answer = readAs(geminiAnswer, chunk);
      return answer === undefined ? [] : decode(answer);
    },
    end() {
      const finished = [...candidates].filter(([, state]) => state.finish !== undefined);
      if (finished.length === 0 || finished.length < candidates.size) return [];
      const stops = finished.map<ChatEvent>(([choice, { finish, called }]) => ({
        type: "stop",
        choice,
        reason: decodeFinish(finish, called),
        ...(finish !== undefined && { raw: finish }),
      }));
      return [...stops, { type: "finish", usage: usageIn(usage, searches, blocked) }];
    },
  });
}
