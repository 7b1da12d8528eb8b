import { z } from "zod";
import { effortIfKnown } from "#providers/models/model-efforts.ts";
import { openaiLimits } from "#providers/models/openai-models.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { inSequence, onChat, withoutThoughts } from "#providers/quirks.ts";

const Catalog = z.array(z.object({ id: z.string() }));

/**
 * https://github.com/orgs/community/discussions/203602, read 2026-11-21: GitHub ended this service on
 * 2026-07-30.
 */
export const github: Provider = {
  type: 49,
  id: "github",
  label: "GitHub Models (ended by GitHub on 2026-07-30)",
  group: "discontinued",
  baseUrl: "https://models.github.ai",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings"],
  refusals: {
    kinds: {
      no_access: "not-found",
      unknown_model: "not-found",
    },
  },
  keyHint: "github_pat_…",
  models: ["openai/gpt-4o-mini", "openai/gpt-4.1"],
  testModel: "openai/gpt-4o-mini",
  website: "https://github.com/marketplace/models",
  headers: bearer,
  path: (_call, standard) => standard.replace(/^\/v1(?=\/)/, "/inference"),
  adjustRequest: inSequence(openaiLimits, onChat(effortIfKnown, withoutThoughts)),
  listing: {
    path: "/catalog/models",
    read: (answer) => Catalog.parse(answer).map((model) => model.id),
  },
};
