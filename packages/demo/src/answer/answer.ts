import { createHmac, randomBytes } from "node:crypto";
import { piecesOf, repeatToPieces } from "./pieces.ts";
import type { Question } from "./question.ts";
import { exampleOf } from "./schema-example.ts";
import { answerTo, longText, thinkingText } from "./sentences.ts";
import { type Behaviour, withoutSwitches } from "./switches.ts";
import { type ToolCall, callsFor, inputPieces } from "./tool-calls.ts";

/** The demo model's answer, for any wire format. */
export interface Answer {
  id: string;
  /** Unix seconds. */
  created: number;
  reasoning: string[];
  /** Proves to this upstream that the reasoning is its own when it is sent back. */
  signature: string;
  text: string[];
  calls: ToolCall[];
  finish: "stop" | "length" | "tool-calls" | "content-filter";
  stopSequence: string | undefined;
  usage: Tokens | undefined;
}

/** `input` and `output` are totals; the others are parts of them. */
export interface Tokens {
  input: number;
  cached: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
}

const signatureKey = "the demo upstream signs so that a changed thought is noticed";
const MARK = "demo";

export function sign(thought: string): string {
  return MARK + createHmac("sha256", signatureKey).update(thought).digest("base64");
}

/**
 * Returns whether a signature is forged. Other providers' signatures pass, because only our own can be
 * checked.
 */
export function isForged(thought: string, signature: string): boolean {
  return signature.startsWith(MARK) && signature !== sign(thought);
}

const TOKENS_PER_CALL = 3;

function callTokens(calls: ToolCall[]): number {
  return calls.reduce((sum, call) => sum + TOKENS_PER_CALL + inputPieces(call.input).length, 0);
}

function reasoningFor(question: Question, behaviour: Behaviour, text: string): string[] {
  const thinks = question.thinks || question.model.includes("think");
  const length = behaviour.reasoning;
  if (length === undefined) return thinks ? piecesOf(thinkingText(text)) : [];
  return repeatToPieces(thinkingText(text), length);
}

function textFor(question: Question, behaviour: Behaviour, text: string): string[] {
  if (behaviour.say !== undefined) return piecesOf(behaviour.say);
  if (behaviour.length !== undefined) return repeatToPieces(longText(text), behaviour.length);
  if (question.json !== false) {
    const hints = { prompt: text, place: "Paris" };
    const value =
      question.json === true ? { answer: answerTo(question, text) } : exampleOf(question.json, hints);
    return piecesOf(JSON.stringify(value));
  }
  return piecesOf(answerTo(question, text));
}

export function answer(question: Question, behaviour: Behaviour): Answer {
  const message = withoutSwitches(question.prompt);
  const calls = behaviour.empty === true ? [] : callsFor(question, message);
  let reasoning = behaviour.empty === true ? [] : reasoningFor(question, behaviour, message);
  let text = behaviour.empty === true || calls.length > 0 ? [] : textFor(question, behaviour, message);
  let finish: Answer["finish"] = calls.length > 0 ? "tool-calls" : "stop";
  const stopped = stopAt(text, question.stop);
  text = stopped.text;

  const most = question.maxOutput;
  if (most !== undefined && reasoning.length + text.length > most && calls.length === 0) {
    reasoning = reasoning.slice(0, most);
    text = text.slice(0, most - reasoning.length);
    finish = "length";
  }
  if (behaviour.finish !== undefined) finish = behaviour.finish;
  return {
    id: randomBytes(12).toString("hex"),
    created: Math.floor(Date.now() / 1000),
    reasoning,
    signature: reasoning.length > 0 ? sign(reasoning.join("")) : "",
    text,
    calls,
    finish,
    stopSequence: finish === "stop" ? stopped.at : undefined,
    usage: behaviour.noUsage === true ? undefined : tokens(question, behaviour, { reasoning, text, calls }),
  };
}

function tokens(
  question: Question,
  behaviour: Behaviour,
  made: Pick<Answer, "reasoning" | "text" | "calls">,
): Tokens {
  const cached = behaviour.cached ?? 0;
  const cacheWrite = behaviour.cacheWrite ?? 0;
  const written = (made.text.length + callTokens(made.calls) + made.reasoning.length) * question.answers;
  return {
    input: behaviour.input ?? Math.max(question.input, cached + cacheWrite),
    cached,
    cacheWrite,
    output: behaviour.output ?? written,
    reasoning: made.reasoning.length * question.answers,
  };
}

function stopAt(pieces: string[], stops: string[]): { text: string[]; at?: string } {
  if (stops.length === 0) return { text: pieces };
  const whole = pieces.join("");
  const found = stops
    .map((stop) => ({ stop, at: stop === "" ? -1 : whole.indexOf(stop) }))
    .filter(({ at }) => at !== -1)
    .sort((one, other) => one.at - other.at)[0];
  return found === undefined
    ? { text: pieces }
    : { text: piecesOf(whole.slice(0, found.at)), at: found.stop };
}
