import { anthropic } from "./anthropic/index.ts";
import type { ClientDialect, Dialect } from "./dialect.ts";
import { gemini } from "./gemini/index.ts";
import { interactions } from "./interactions/index.ts";
import type { ClientDialectId, DialectId } from "./ir.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";

/**
 * The wire formats of clients and providers. This module converts them to one representation and back. It
 * must not depend on HTTP, providers, prices or accounts.
 */
export const dialects: Record<DialectId, Dialect> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
};

/** Dialects of clients: all of the above, and those in which no provider is called. */
export const clientDialects: Record<ClientDialectId, ClientDialect> = { ...dialects, interactions };
