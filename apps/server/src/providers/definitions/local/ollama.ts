import { z } from "zod";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

const plugin = z.object({
  headers: z
    .object({
      "CF-Access-Client-Id": z.string().optional(),
      "CF-Access-Client-Secret": z.string().optional(),
    })
    .optional()
    .meta({ title: "Cloudflare Access" }),
});

/**
 * https://docs.ollama.com/api/openai-compatibility, read 2026-11. Its cloud requires a key; a self-hosted
 * server does not.
 */
export const ollama: Provider = {
  type: 39,
  id: "ollama",
  label: "Ollama",
  group: "compatible",
  help: "provider-own-servers",
  baseUrl: "https://ollama.com",
  dialects: ["openai-chat"],
  bytesOnly: ["openai-chat"],
  endpoints: ["chat", "completions", "embeddings"],
  keyless: true,
  keyHint: "",
  models: ["gpt-oss:120b", "gpt-oss:20b", "deepseek-v3.1:671b", "qwen3-coder:480b"],
  testModel: "gpt-oss:20b",
  website: "https://ollama.com/settings/keys",
  plugin,
  headers(key, call) {
    const headers = bearer(key);
    for (const name of ["CF-Access-Client-Id", "CF-Access-Client-Secret"]) {
      const value = call.plugin["headers"]?.[name];
      if (typeof value === "string" && value !== "") headers[name.toLowerCase()] = value;
    }
    return headers;
  },
  adjustRequest: onChat(...plain),
};
