import { add } from "./edits.mjs";
import { kebab } from "./names.mjs";

const types = "apps/server/src/providers/provider.ts";
const endpoints = "apps/server/src/gateway/media/plain.ts";

export const endpoint = {
  about: "an endpoint for AI clients with OpenAI's wire format, /v1/<name>",
  name: kebab,
  edits: (name) => [
    // Before the kinds that complete asynchronously.
    add(types, {
      after: "export type Endpoint =",
      before: '  | "realtime"',
      text: `  | "${name}"\n`,
      unless: `"${name}"`,
    }),
    add(endpoints, {
      after: "const endpoints: readonly PlainEndpoint[] = [",
      before: "  // Recraft's tools.",
      text: `  { path: "/v1/${name}", needs: "${name}" },\n`,
      unless: `"/v1/${name}"`,
    }),
  ],
  next: (name) => [
    `In ${endpoints}, set what "/v1/${name}" needs: form, model, output. A field that raises the cost belongs into dialects/usage/cost-fields.ts.`,
    `Add "${name}" to the endpoints of the providers that serve it. One with another wire format gets an adapter.`,
    "Add its path to `paths` in providers/contract.test.ts and to the documentation (docs/clients.md).",
  ],
  most: 3,
  byHand: ["the record of a provider that serves it"],
  example: ["sample-endpoint"],
  tests: ["apps/server/src/providers/contract.test.ts", "apps/server/test/project/calls.test.ts"],
};
