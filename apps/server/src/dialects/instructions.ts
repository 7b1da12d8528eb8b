import type { Wire } from "./dialect.ts";
import type { ChatRequest, DialectId, Message } from "./ir.ts";
import { asRecord } from "./wire.ts";

/** Position of an administrator's system prompt relative to that of the request. */
export type InstructionsPosition = "before" | "after" | "instead";

/**
 * Returns the body with the system prompt added, or replaced by it. Everything else stays unchanged.
 * @param keepsFirst keeps the first block of the request's own system prompt first; Anthropic identifies its
 * agents by it
 */
export function addInstructions(
  dialect: DialectId,
  body: Wire,
  text: string,
  place: InstructionsPosition,
  keepsFirst = false,
): Wire {
  const { system } = body;
  if (keepsFirst && dialect === "anthropic" && Array.isArray(system) && place === "before")
    return { ...body, system: listOf(system).toSpliced(1, 0, { type: "text", text }) };
  return adders[dialect](body, text, place);
}

/** Does the same for a request that will be sent in a provider's own wire format. */
export function withInstructions(
  request: ChatRequest,
  text: string,
  place: InstructionsPosition,
): ChatRequest {
  const own: Message = { role: "system", parts: [{ type: "text", text }] };
  return { ...request, messages: placedMessage(request.messages, own, place) };
}

const adders: Record<DialectId, (body: Wire, text: string, place: InstructionsPosition) => Wire> = {
  "openai-chat"(body, text, place) {
    const own = { role: "system", content: text };
    return { ...body, messages: placedMessage(listOf(body["messages"]), own, place) };
  },
  "openai-responses"(body, text, place) {
    const { input } = body;
    const instructions = joinTexts(body["instructions"], text, place);
    if (place !== "instead" || !Array.isArray(input)) return { ...body, instructions };
    return { ...body, instructions, input: listOf(input).filter((one) => !instructs(one)) };
  },
  anthropic(body, text, place) {
    const { system } = body;
    if (!Array.isArray(system)) return { ...body, system: joinTexts(system, text, place) };
    return { ...body, system: placeInstructions(listOf(system), { type: "text", text }, place) };
  },
  gemini(body, text, place) {
    // Google accepts both spellings, but rejects a request that contains both.
    const name = body["system_instruction"] === undefined ? "systemInstruction" : "system_instruction";
    const known = body[name];
    const content = typeof known === "string" ? { parts: [{ text: known }] } : (asRecord(known) ?? {});
    const parts = content["parts"];
    const list = Array.isArray(parts) ? listOf(parts) : parts === undefined ? [] : [parts];
    return { ...body, [name]: { ...content, parts: placeInstructions(list, { text }, place) } };
  },
};

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function instructs(message: unknown): boolean {
  const role = asRecord(message)?.["role"];
  return role === "system" || role === "developer";
}

function placedMessage<Each>(messages: readonly Each[], own: Each, place: InstructionsPosition): Each[] {
  if (place === "before") return [own, ...messages];
  if (place === "instead") return [own, ...messages.filter((one) => !instructs(one))];
  const first = messages.findIndex((one) => !instructs(one));
  return messages.toSpliced(first === -1 ? messages.length : first, 0, own);
}

function joinTexts(known: unknown, text: string, place: InstructionsPosition): string {
  if (place === "instead" || typeof known !== "string" || known === "") return text;
  return place === "before" ? `${text}\n\n${known}` : `${known}\n\n${text}`;
}

function placeInstructions(known: readonly unknown[], own: Wire, place: InstructionsPosition): unknown[] {
  if (place === "instead") return [own];
  return place === "before" ? [own, ...known] : [...known, own];
}
