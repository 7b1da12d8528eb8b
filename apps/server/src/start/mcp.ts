import { boundedFetch, publicFetch } from "#platform/http/public-fetch.ts";
import { MOST_RESPONSE_BYTES } from "#relay/mcp/limited-fetch.ts";
import { createMcpSessions, type McpSessions } from "#relay/mcp/sessions.ts";
import type { Caches } from "./caches.ts";
import type { Context } from "./context.ts";
import type { Component } from "./parts.ts";

/** Longer than the longest timeout of a server, which ends a call first. */
const SILENCE_MS = 620_000;

/** Sessions at MCP servers. */
export const mcpSessions: Component<Context & { caches: Caches }, McpSessions> = {
  name: "MCP sessions",
  open({ options: { mayReach }, caches: { revocations } }) {
    // The limit of a session is exact and has an error of its own.
    const limits = { maxBytes: 2 * MOST_RESPONSE_BYTES, silenceMs: SILENCE_MS };
    return createMcpSessions({
      revocations,
      fetchPublic: publicFetch(mayReach, limits),
      fetchAny: boundedFetch(limits),
    });
  },
  close: (sessions) => sessions.close(),
};
