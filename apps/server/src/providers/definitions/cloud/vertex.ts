import type { Wire } from "#dialects/dialect.ts";
import { claudeCacheMinimum, claudeLimits } from "#providers/models/claude-models.ts";
import { geminiLimits } from "#providers/models/gemini-models.ts";
import { hostLimits, vertexHost } from "#providers/models/messages-hosts.ts";
import { type RequestShape, CredentialError, type Provider } from "#providers/provider.ts";
import { onChat, plain, withoutThoughts } from "#providers/quirks.ts";
import { accessToken, readGoogleCredential } from "#providers/signing/google.ts";

/**
 * Returns the publisher of a model. Google's models use Gemini's format,
 * Anthropic's models their own, all others OpenAI's.
 */
function publisherOf(model: string): "google" | "anthropic" | "others" {
  if (model.includes("claude")) return "anthropic";
  return /^(?:google\/)?(?:gemini|gemma|learnlm)/.test(model) ? "google" : "others";
}

function placeOf(key: string, { other }: RequestShape): { region: string; project: string } {
  const [region = "", project = ""] = other.split("|");
  if (!/^[a-z0-9-]*$/.test(region)) throw new CredentialError(`"${region}" is not a region of Vertex AI.`);
  return {
    region: region === "" ? "global" : region,
    project: project === "" ? (readGoogleCredential(key).project_id ?? "") : project,
  };
}

const LOCATION = "/v1/projects/{project}/locations/{region}";

const hosted = hostLimits(vertexHost);

/** Moves model and stream out of the body; Vertex expects them in the URL. */
function adjust(body: Wire, call: RequestShape): Wire {
  if (call.dialect !== "anthropic") return geminiLimits(others(body, call), call);
  const { model: _model, ...rest } = hosted(claudeLimits(body, call), call);
  return { anthropic_version: "vertex-2023-10-16", ...rest };
}

const others = onChat(...plain, withoutThoughts);

/**
 * https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest and
 * https://docs.claude.com/en/api/claude-on-vertex-ai, read 2026-11.
 */
export const vertex: Provider = {
  type: 42,
  id: "vertex",
  label: "Google Vertex AI",
  icon: "vertexai",
  group: "most-used",
  help: "provider-google",
  baseUrl: "https://{host}",
  dialects: ["gemini", "anthropic", "openai-chat"],
  runsWebSearch: ["gemini", "anthropic"],
  managesContext: true,
  messages: vertexHost,
  bytesOnly: ["anthropic"],
  speaks({ model }) {
    const publisher = publisherOf(model);
    if (publisher === "google") return ["gemini"];
    return publisher === "anthropic" ? ["anthropic"] : ["openai-chat"];
  },
  proofs: "google",
  endpoints: ["chat"],
  identity: { cloud: "google" },
  keyHint: '{"type": "service_account", …}',
  otherLabel: "Region|ProjectID (default: global and the project of the key)",
  models: [
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "claude-sonnet-4-5@20250929",
    "meta/llama-3.3-70b-instruct-maas",
  ],
  testModel: "gemini-2.5-flash",
  website: "https://console.cloud.google.com/vertex-ai",
  // Token counting is available for Gemini models only.
  countsTokens: (path) => !path.endsWith("/count_tokens"),
  headers: () => ({}),
  places(key, call) {
    const { region, project } = placeOf(key, call);
    const host = region === "global" ? "aiplatform.googleapis.com" : `${region}-aiplatform.googleapis.com`;
    return { region, project, host };
  },
  path({ dialect, model, stream }, standard) {
    if (dialect === "openai-chat") return `${LOCATION}/endpoints/openapi/chat/completions`;
    const publisher = `${LOCATION}/publishers/${dialect === "anthropic" ? "anthropic" : "google"}/models`;
    if (dialect === "anthropic")
      return `${publisher}/${encodeURIComponent(model)}:${stream ? "streamRawPredict" : "rawPredict"}`;
    return standard.replace(/^\/v1beta\/models\/(?:google\/)?/, `${publisher}/`);
  },
  cacheMarks: claudeCacheMinimum,
  adjustRequest: adjust,
  async sign(request, key, io) {
    const token = await accessToken(readGoogleCredential(key), io);
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
  },
  listing: "none",
};
