import { z } from "zod";
import { bearer, type Provider } from "#providers/provider.ts";

const Account = z.object({ credits: z.number() });

/** https://www.recraft.ai/docs/api-reference, read 2026-11-21. 1,000 credits cost one dollar. */
export const recraft: Provider = {
  type: 51,
  id: "recraft",
  label: "Recraft",
  group: "media",
  help: "provider-media",
  baseUrl: "https://external.api.recraft.ai",
  dialects: ["openai-chat"],
  endpoints: ["images"],
  keyHint: "",
  models: [
    "recraftv4_1",
    "recraftv4_1_pro",
    "recraftv4_1_vector",
    "recraftv3",
    // Image tools, each named after the last segment of its path.
    "recraft_vectorize",
    "recraft_removeBackground",
    "recraft_crispUpscale",
    "recraft_creativeUpscale",
    "recraft_styles",
  ],
  testModel: "",
  website: "https://www.recraft.ai/profile/api",
  headers: bearer,
  listing: "none",
  balance: {
    path: "/v1/users/me",
    read: (answer) => ({ amount: Account.parse(answer).credits / 1_000, currency: "USD" }),
  },
};
