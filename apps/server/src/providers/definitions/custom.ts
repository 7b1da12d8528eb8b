import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import { effortIfKnown } from "#providers/models/model-efforts.ts";
import { openaiDialects, openaiLimits, openaiSearches } from "#providers/models/openai-models.ts";
import { bearer, type RequestShape, type Provider } from "#providers/provider.ts";
import { ifTranslated, inSequence, onChat } from "#providers/quirks.ts";

/** Paths of ours by the numbers that administrators use in the channel settings. */
const modes = lookupTable<{ path: string; title: string }>({
  "1": { path: "/v1/chat/completions", title: "Chat" },
  "2": { path: "/v1/completions", title: "Completions" },
  "3": { path: "/v1/embeddings", title: "Embeddings" },
  "4": { path: "/v1/moderations", title: "Moderations" },
  "5": { path: "/v1/images/generations", title: "Image generation" },
  "6": { path: "/v1/images/edits", title: "Image edits" },
  "7": { path: "/v1/images/variations", title: "Image variations" },
  "9": { path: "/v1/audio/speech", title: "Speech" },
  "10": { path: "/v1/audio/transcriptions", title: "Transcription" },
  "11": { path: "/v1/audio/translations", title: "Audio translation" },
  "14": { path: "/v1/realtime", title: "Realtime" },
  "16": { path: "/v1/responses", title: "Responses" },
});

const OFF = "disable";
const Path = z
  .string()
  .regex(/^(?:\/[^\s{}]*|disable)?$/, 'A path begins with "/"; "disable" switches the endpoint off.')
  .optional();

const plugin = z.object({
  customize: z
    .object(
      Object.fromEntries(
        Object.entries(modes).map(([mode, { path, title }]) => [
          mode,
          Path.meta({ title, description: `Default: ${path}. Enter "${OFF}" to turn this endpoint off.` }),
        ]),
      ),
    )
    .optional()
    .meta({ title: "Paths" }),
});

const modeOf: ReadonlyMap<string, string> = new Map(
  Object.entries(modes).map(([mode, { path }]) => [path, mode]),
);

function chosenPath(given: RequestShape["plugin"], standard: string): string | undefined {
  const mode = modeOf.get(standard);
  const path = mode === undefined ? undefined : given["customize"]?.[mode];
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** Any server with OpenAI's wire format. With its own path for Responses it is also used in that dialect. */
export const custom: Provider = {
  type: 8,
  id: "custom",
  label: "OpenAI-compatible",
  icon: "openai",
  group: "compatible",
  help: "provider-openai",
  baseUrl: "",
  dialects: ["openai-chat", "openai-responses"],
  speaks(call) {
    const responses = chosenPath(call.plugin, "/v1/responses");
    return responses === undefined || responses === OFF ? ["openai-chat"] : openaiDialects(call);
  },
  proofs: "unknown",
  endpoints: [
    "chat",
    "responses",
    "completions",
    "embeddings",
    "moderations",
    "images",
    "audio",
    "rerank",
    "realtime",
  ],
  offers(path, given) {
    // Runs for every candidate of every call; nearly all of them have no such setting.
    if (given["customize"] === undefined || path === "/v1/rerank") return true;
    const own = path !== "/v1/responses" && Object.values(modes).some((mode) => mode.path === path);
    return chosenPath(given, own ? path : "/v1/chat/completions") !== OFF;
  },
  keyless: true,
  keyHint: "sk-…",
  models: [],
  testModel: "",
  website: "",
  plugin,
  searches: openaiSearches,
  balance: "openai-billing",
  headers: bearer,
  adjustRequest: ifTranslated(inSequence(openaiLimits, onChat(effortIfKnown))),
  path(call, standard) {
    const [path = "", query] = standard.split("?");
    const own = chosenPath(call.plugin, path) ?? path;
    return query === undefined ? own : `${own}?${query}`;
  },
};
