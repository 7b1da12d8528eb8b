import { anthropic } from "./anthropic/index.ts";
import type { Dialect } from "./dialect.ts";
import type { DialectId } from "./ir.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";

/** The wire formats that clients and vendors may speak. This room is pure: no HTTP, no clock that decides, no vendor. */
export const dialects: Record<DialectId, Dialect> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini: openaiChat,
};
