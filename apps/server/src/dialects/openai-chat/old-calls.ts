import type { ChatRequest, Extra } from "#dialects/ir.ts";
import { ownFields } from "#dialects/wire.ts";
import type { ChatWireRequest } from "./schema.ts";

/**
 * Function calls of the format before tools: one per message, without an id.
 * Clients that send `functions` receive this form.
 */

export function offeredFunctions({ functions, tools }: ChatWireRequest): Extra | undefined {
  if (!functions?.length || tools?.length) return undefined;
  return { dialect: "openai-chat", fields: { functions } };
}

export function wantsOldCalls({ repeat }: Pick<ChatRequest, "repeat">): boolean {
  return ownFields("openai-chat", repeat)?.["functions"] !== undefined;
}
