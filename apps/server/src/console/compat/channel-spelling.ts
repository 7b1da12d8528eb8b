import { ChannelQuery } from "@gateway/shared/channel";
import type { preValidationHookHandler } from "fastify";
import type { z } from "zod";

/** Lists that older tools send as one text with commas: their name for it, and ours. */
const lists = { models: "models", group: "groups" } as const;
const objects = ["model_mapping", "model_headers", "custom_parameter"] as const;

/**
 * Reads a channel as older tools send it: models and groups in one text with commas, maps as JSON in a text. What is
 * neither stays as it is, so that the schema names the mistake.
 */
export const readOlderSpelling: preValidationHookHandler = (request, _reply, done) => {
  const { body } = request;
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    request.body = respell(body as Record<string, unknown>);
  }
  done();
};

function respell(body: Record<string, unknown>): Record<string, unknown> {
  const channel = { ...body };
  for (const [older, name] of Object.entries(lists)) {
    const text = channel[older];
    if (typeof text !== "string" || (older !== name && channel[name] !== undefined)) continue;
    channel[name] = text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }
  for (const name of objects) {
    const text = channel[name];
    if (typeof text === "string") channel[name] = parsed(text);
  }
  return channel;
}

function parsed(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The filters of the list, with the names that older tools have for two of them. */
export const SpelledQuery = ChannelQuery.extend({
  name: ChannelQuery.shape.keyword,
  models: ChannelQuery.shape.model,
});

export function inOurSpelling({ name, models, ...query }: z.infer<typeof SpelledQuery>): ChannelQuery {
  return { ...query, keyword: query.keyword || name, model: query.model || models };
}
