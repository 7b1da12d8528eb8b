import type { ChatRequest, Extra } from "#dialects/ir.ts";
import { ownFields } from "#dialects/wire.ts";
import type { ChatWireRequest } from "./schema.ts";

/** Calls as they were before there were tools: one a message, and without an id. Who offers `functions` gets them so. */

export function offeredFunctions({ functions, tools }: ChatWireRequest): Extra | undefined {
  if (!functions?.length || tools?.length) return undefined;
  return { dialect: "openai-chat", fields: { functions } };
}

export function wantsOldCalls({ repeat }: Pick<ChatRequest, "repeat">): boolean {
  return ownFields("openai-chat", repeat)?.["functions"] !== undefined;
}
