import { createHash } from "node:crypto";
import type { Upstream } from "#dialects/dialect.ts";
import type { ChatEvent, ChatRequest, ChatResponse, Message, Part, Tool } from "#dialects/ir.ts";

/**
 * Replaces tool names that an upstream does not allow, and restores the client's names in calls of the
 * response. Pure. The same name always gets the same replacement, so that the history matches the tools.
 */
type ToolNames = ReadonlyMap<string, string>;

interface Rule {
  allowed: RegExp;
  longest: number;
}

const openai: Rule = { allowed: /^[\w-]{1,64}$/, longest: 64 };
const rules: Record<Upstream["id"], Rule> = {
  "openai-chat": openai,
  "openai-responses": openai,
  own: openai,
  anthropic: { allowed: /^[\w-]{1,128}$/, longest: 128 },
  gemini: { allowed: /^[A-Za-z_][\w.:-]{0,63}$/, longest: 64 },
};

const hashLength = 8;

function allowedName(name: string, longest: number): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, hashLength);
  const plain = name.replaceAll(/[^\w-]/g, "_").replace(/^(?=[^A-Za-z_])/, "_");
  return `${plain.slice(0, longest - hashLength - 1)}_${hash}`;
}

/**
 * Returns the replacement of each tool name that this upstream rejects; undefined,
 * in nearly all cases, when it accepts all of them.
 */
export function toolNames(request: ChatRequest, upstream: Upstream["id"]): ToolNames | undefined {
  const { allowed, longest } = rules[upstream];
  let names: Map<string, string> | undefined;
  const look = (name: string) => {
    if (name === "" || allowed.test(name)) return;
    names ??= new Map();
    names.set(name, allowedName(name, longest));
  };
  for (const tool of request.tools ?? []) look(tool.name);
  for (const { parts } of request.messages)
    for (const part of parts) if (part.type === "tool-call") look(part.name);
  return names;
}

function renamedPart(part: Part, names: ToolNames): Part {
  if (part.type === "tool-call") return { ...part, name: names.get(part.name) ?? part.name };
  if (part.type !== "tool-result" || part.name === undefined) return part;
  return { ...part, name: names.get(part.name) ?? part.name };
}

/** Returns the request with the names that its upstream accepts. */
export function withToolNames(request: ChatRequest, names: ToolNames | undefined): ChatRequest {
  if (names === undefined) return request;
  const { tools, toolChoice } = request;
  const messages = request.messages.map<Message>((message) => ({
    ...message,
    parts: message.parts.map((part) => renamedPart(part, names)),
  }));
  return {
    ...request,
    messages,
    ...(tools && {
      tools: tools.map((tool) => {
        const name = names.get(tool.name);
        if (name === undefined) return tool;
        const { freeform, ...rest } = tool;
        const form = freeform && { ...freeform, fields: { ...freeform.fields, name } };
        return { ...rest, name, ...(form && { freeform: form }) };
      }),
    }),
    ...(toolChoice?.type === "tool" && {
      toolChoice: { ...toolChoice, name: names.get(toolChoice.name) ?? toolChoice.name },
    }),
  };
}

/** Returns the client's names by the names sent upstream. */
export function ownNamesOf(names: ToolNames): ToolNames {
  return new Map([...names].map(([own, sent]) => [sent, own]));
}

/**
 * Returns the response with the client's own tool names.
 * @param own result of `ownNamesOf`
 */
export function withOwnNames(answer: ChatResponse, own: ToolNames): ChatResponse {
  const choices = answer.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) => renamedPart(part, own)),
  }));
  return { ...answer, choices };
}

/**
 * Returns the event with the client's own tool name.
 * @param own result of `ownNamesOf`
 */
export function withOwnName(event: ChatEvent, own: ToolNames): ChatEvent {
  return event.type === "tool-call" ? { ...event, name: own.get(event.name) ?? event.name } : event;
}

/**
 * Returns the offered tools that the caller allows the model to call now; other formats have no such list.
 */
export function filterAllowedTools(
  tools: Tool[] | undefined,
  names: ReadonlyArray<string | undefined>,
): Tool[] | undefined {
  if (tools === undefined || names.length === 0) return tools;
  return tools.filter((tool) => names.includes(tool.name));
}
