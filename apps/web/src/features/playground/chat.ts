/**
 * The structure of a conversation, and the messages sent to a model. Pure; independent of network and screen.
 */
import { z } from "zod";
import type { PlaygroundDraft } from "#lib/playground-draft.ts";

/** Maximum number of models that answer side by side. */
export const mostModels = 3;

const BillLine = z.object({ kind: z.string(), amount: z.number(), ratio: z.string() });

/** The gateway's record of a call. */
const Charge = z.object({
  points: z.number(),
  estimated: z.boolean(),
  groupRatio: z.string(),
  lines: z.array(BillLine),
});
export type Charge = z.infer<typeof Charge>;

export const Answer = z.object({
  id: z.string(),
  model: z.string(),
  text: z.string(),
  reasoning: z.string(),
  /** Data URLs. */
  images: z.array(z.string()),
  state: z.enum(["waiting", "streaming", "done", "stopped", "failed"]),
  /** The gateway's message and code. */
  error: z.string(),
  code: z.string().default(""),
  params: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  /** The reason why the model ended its answer: "stop", "length" and others; "" = unknown. */
  finish: z.string().default(""),
  usage: z.object({ input: z.number(), output: z.number() }).nullable(),
  /** Milliseconds from sending to the end, and to the first token. */
  duration: z.number(),
  firstWord: z.number(),
  requestId: z.string(),
  charge: Charge.nullable(),
});
export type Answer = z.infer<typeof Answer>;

const Turn = z.object({
  id: z.string(),
  text: z.string(),
  images: z.array(z.string()),
  answers: z.array(Answer),
});
export type Turn = z.infer<typeof Turn>;

/** Empty values use the model's default. */
export const Parameters = z.object({
  system: z.string(),
  temperature: z.number().nullable(),
  topP: z.number().nullable(),
  maxTokens: z.number().nullable(),
});
export type Parameters = z.infer<typeof Parameters>;

export const noParameters: Parameters = { system: "", temperature: null, topP: null, maxTokens: null };

export const Chat = z.object({
  id: z.string(),
  /** Unix seconds. */
  updated: z.number(),
  models: z.array(z.string()),
  parameters: Parameters,
  turns: z.array(Turn),
});
export type Chat = z.infer<typeof Chat>;

export function isRunning(answer: Answer): boolean {
  return answer.state === "waiting" || answer.state === "streaming";
}

export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join("");
}

export function newAnswer(model: string): Answer {
  return {
    id: newId(),
    model,
    text: "",
    reasoning: "",
    images: [],
    state: "waiting",
    error: "",
    code: "",
    params: {},
    finish: "",
    usage: null,
    duration: 0,
    firstWord: 0,
    requestId: "",
    charge: null,
  };
}

/** Creates a conversation from another screen's draft, up to its last question. */
export function chatOf({ model, system, turns }: PlaygroundDraft, updated: number): Chat {
  return {
    id: newId(),
    updated,
    models: [model],
    parameters: { ...noParameters, system },
    turns: turns.slice(0, -1).map(({ text, images, answer }) => ({
      id: newId(),
      text,
      images,
      answers: answer === "" ? [] : [{ ...newAnswer(model), text: answer, state: "done" }],
    })),
  };
}

/** Returns the start of the first question; "" for an empty chat. */
export function titleOf(chat: Chat): string {
  const text = chat.turns[0]?.text.replace(/\s+/g, " ").trim() ?? "";
  return text.length > 60 ? `${text.slice(0, 60).trimEnd()}…` : text;
}

type Content =
  | string
  | ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];
export type Message = { role: "system" | "user" | "assistant"; content: Content };

function question(turn: Turn): Message {
  if (turn.images.length === 0) return { role: "user", content: turn.text };
  const images = turn.images.map((url) => ({ type: "image_url" as const, image_url: { url } }));
  const text = turn.text === "" ? [] : [{ type: "text" as const, text: turn.text }];
  return { role: "user", content: [...text, ...images] };
}

/** Returns this model's answer, else the answer of another model at its position. */
function answerFor(turn: Turn, model: string, place: number): Answer | undefined {
  const output = turn.answers.filter((answer) => answer.text !== "" && !isRunning(answer));
  return (
    output.find((answer) => answer.model === model) ??
    output.find((answer) => answer === turn.answers[place]) ??
    output[0]
  );
}

/**
 * Returns the messages for answering the turn `turnId`. Each model sees its own branch of the conversation.
 * Unanswered turns are omitted, because two consecutive questions confuse some models.
 */
export function messagesFor(chat: Chat, turnId: string, model: string, place: number): Message[] {
  const messages: Message[] = [];
  const system = chat.parameters.system.trim();
  if (system !== "") messages.push({ role: "system", content: system });
  for (const turn of chat.turns) {
    if (turn.id === turnId) return [...messages, question(turn)];
    const answer = answerFor(turn, model, place);
    if (answer) messages.push(question(turn), { role: "assistant", content: answer.text });
  }
  return messages;
}
