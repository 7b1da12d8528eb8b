import { anthropic } from "./anthropic/index.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini/index.ts";
import type { DialectId } from "./ir.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";

/**
 * The wire formats that clients and providers may speak. This room turns them into one representation and back; it
 * must never know HTTP, a provider, a price or an account.
 */
export const dialects: Record<DialectId, Dialect> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
};
