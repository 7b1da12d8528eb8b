import type { ChatRequest, Message, Part } from "#dialects/ir.ts";

/**
 * Writes earlier tool calls and their results as text when the caller offers no tools. Converse accepts them
 * as blocks only beside definitions of their tools, and a defined tool can be called again.
 */
export function withCallsAsText(request: ChatRequest): ChatRequest {
  const offers = request.toolChoice?.type !== "none" && (request.tools ?? []).length > 0;
  if (offers || !request.messages.some((message) => message.parts.some(isCallOrResult))) return request;
  const names = new Map<string, string>();
  const messages = request.messages.map<Message>((message) => ({
    ...message,
    parts: message.parts.flatMap((part) => asText(part, names)),
  }));
  return { ...request, tools: [], messages };
}

const isCallOrResult = ({ type }: Part) => type === "tool-call" || type === "tool-result";

function asText(part: Part, names: Map<string, string>): Part[] {
  if (part.type === "tool-call") {
    names.set(part.id, part.name);
    return [{ type: "text", text: `[Called ${part.name} with ${part.input}]` }];
  }
  if (part.type !== "tool-result") return [part];
  const outcome = part.isError === true ? "Error" : "Result";
  return [{ type: "text", text: `[${outcome} of ${names.get(part.callId) ?? "a tool"}]` }, ...part.parts];
}
