import { z } from "zod";
import { bearer, CredentialError, type Provider } from "#providers/provider.ts";
import { onChat, plain, withoutThoughts } from "#providers/quirks.ts";

const Models = z.object({ result: z.array(z.object({ name: z.string() })) });

function credential(key: string): { account: string; token: string } {
  const [account = "", token = ""] = key.split("|");
  if (account === "" || token === "")
    throw new CredentialError("The key of Cloudflare Workers AI has the form ACCOUNT_ID|API_TOKEN.");
  return { account, token };
}

/** https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility, read 2026-11-21. */
export const cloudflare: Provider = {
  type: 35,
  id: "cloudflare",
  label: "Cloudflare Workers AI",
  group: "cloud",
  help: "provider-model-hosts",
  baseUrl: "https://api.cloudflare.com/client/v4/accounts/{account}/ai",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings"],
  // https://developers.cloudflare.com/workers-ai/platform/errors, read 2026-11-21.
  refusals: {
    kinds: {
      3036: "quota",
      3040: "overloaded",
      // The model is not available to the account, or its terms must be accepted first.
      3041: "not-found",
      5016: "not-found",
      5018: "not-found",
      5007: "not-found",
      // The account in the path, which is half of the key, does not exist.
      7003: "auth",
    },
  },
  keyHint: "ACCOUNT_ID|API_TOKEN",
  models: [
    "@cf/openai/gpt-oss-120b",
    "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
    "@cf/qwen/qwq-32b",
    "@cf/baai/bge-m3",
  ],
  testModel: "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
  website: "https://dash.cloudflare.com",
  headers: (key) => bearer(credential(key).token),
  places: (key) => ({ account: credential(key).account }),
  adjustRequest: onChat(...plain, withoutThoughts),
  listing: {
    path: "/models/search?per_page=1000",
    read: (answer) => Models.parse(answer).result.map((model) => model.name),
  },
};
