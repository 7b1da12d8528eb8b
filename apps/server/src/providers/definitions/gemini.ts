import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { geminiLimits } from "#providers/models/gemini-models.ts";
import { bearer, type RequestShape, type Provider } from "#providers/provider.ts";

const plugin = z.object({
  code_execution: z
    .object({ enable: z.boolean().optional().meta({ title: "Let the model run code" }) })
    .optional()
    .meta({ title: "Code execution" }),
  use_openai_api: z
    .object({
      enable: z.boolean().optional().meta({ title: "Use Google's OpenAI-compatible endpoint for chat" }),
    })
    .optional()
    .meta({ title: "OpenAI compatibility" }),
});

/**
 * Adds code execution, unless the caller has functions: the provider rejects its own tools beside functions.
 */
function runCode(body: Wire, call: RequestShape): Wire {
  const wanted = call.dialect === "gemini" && call.plugin["code_execution"]?.["enable"] === true;
  return wanted && body["tools"] === undefined ? { ...body, tools: [{ codeExecution: {} }] } : body;
}

/** https://ai.google.dev/api/generate-content and https://ai.google.dev/gemini-api/docs/openai, read 2026-11. */
export const gemini: Provider = {
  type: 25,
  id: "gemini",
  label: "Google Gemini",
  group: "most-used",
  help: "provider-google",
  baseUrl: "https://generativelanguage.googleapis.com",
  dialects: ["gemini", "openai-chat"],
  runsWebSearch: ["gemini"],
  speaks: (call) => (call.plugin["use_openai_api"]?.["enable"] === true ? ["openai-chat"] : ["gemini"]),
  tierHeader: "x-gemini-service-tier",
  proofs: "google",
  endpoints: ["chat", "embeddings", "images", "caches"],
  keyHint: "AIza…",
  otherLabel: "API version (default: v1beta)",
  models: ["gemini-3.1-pro-preview", "gemini-3.8-flash", "gemini-3.5-flash-lite", "gemini-2.5-flash"],
  testModel: "gemini-3.5-flash-lite",
  website: "https://aistudio.google.com",
  plugin,
  headers: (key, { dialect }) => (dialect === "gemini" ? { "x-goog-api-key": key } : bearer(key)),
  path({ other }, standard) {
    const version = other === "" ? "v1beta" : other;
    return standard.startsWith("/v1/")
      ? `/${version}/openai${standard.slice("/v1".length)}`
      : standard.replace(/^\/v1beta\//, `/${version}/`);
  },
  adjustRequest: (body, call) => geminiLimits(runCode(body, call), call),
  listing: { path: "/v1beta/models?pageSize=1000" },
};
