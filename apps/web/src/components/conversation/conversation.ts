/** Parses the bodies of a call as a conversation, and the part that the playground can use. Pure. */
import type { PlaygroundDraft } from "#lib/playground-draft.ts";
import { type MessagePart, parseJson, type LoggedMessage } from "./messages.ts";
import { readAnswerMessages } from "./read-answer.ts";
import { mergeMessages, readRequestMessages } from "./read-request.ts";

export type Conversation = { messages: LoggedMessage[]; answer: LoggedMessage[] };

/** Returns null when the request is not a conversation or was truncated. */
export function readConversation(request: string, response: string): Conversation | null {
  const body = parseJson(request);
  const turns = body === undefined ? undefined : readRequestMessages(body);
  if (turns === undefined) return null;
  return { messages: mergeMessages(turns), answer: mergeMessages(readAnswerMessages(response) ?? []) };
}

function textOf(parts: MessagePart[]): string {
  return parts
    .flatMap((part) => (part.type === "text" ? part.text : []))
    .join("\n\n")
    .trim();
}

/** Returns only images in the body: none is loaded from another server. */
function picturesOf(parts: MessagePart[]): string[] {
  return parts.flatMap((part) =>
    part.type === "image" && part.url.startsWith("data:image/") ? part.url : [],
  );
}

/**
 * Returns the questions with their answers for the playground; null when the last message is not the user's.
 */
export function toPlaygroundDraft(
  { messages }: Conversation,
  model: string,
): Omit<PlaygroundDraft, "send"> | null {
  const draft = { model, system: "", turns: [] as PlaygroundDraft["turns"] };
  for (const { role, parts } of messages) {
    const content = textOf(parts);
    if (role === "system") draft.system = [draft.system, content].filter(Boolean).join("\n\n");
    if (role === "user") draft.turns.push({ text: content, images: picturesOf(parts), answer: "" });
    const last = draft.turns.at(-1);
    if (role === "assistant" && last) last.answer = [last.answer, content].filter(Boolean).join("\n\n");
  }
  const last = draft.turns.at(-1);
  const isQuestion = last !== undefined && last.answer === "" && (last.text !== "" || last.images.length > 0);
  return isQuestion ? draft : null;
}
