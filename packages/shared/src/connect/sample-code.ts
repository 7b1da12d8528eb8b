/** Sample code of the first call with OpenAI's library, ready to run. Pure. */
import { KEY_PLACEHOLDER } from "./connection.ts";
import { quoteJson, quotedInShell } from "./quoting.ts";

export type Sample = {
  /** Address of the server, without /v1. */
  address: string;
  model: string;
  /** The user's own key, or a placeholder. */
  apiKey?: string;
};

export const sampleLanguages = ["curl", "Python", "TypeScript"] as const;
export type SampleLanguage = (typeof sampleLanguages)[number];

export function openaiSample(
  language: SampleLanguage,
  { address, model, apiKey = KEY_PLACEHOLDER }: Sample,
): string {
  switch (language) {
    case "curl":
      return `curl ${address}/v1/chat/completions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": ${quotedInShell(model)},
    "messages": [
      {"role": "user", "content": "Hello"}
    ],
    "stream": true
  }'`;
    case "Python":
      return `from openai import OpenAI

client = OpenAI(
    base_url=${quoteJson(`${address}/v1`)},
    api_key=${quoteJson(apiKey)},
)
answer = client.chat.completions.create(
    model=${quoteJson(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`;
    case "TypeScript":
      return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${quoteJson(`${address}/v1`)},
  apiKey: ${quoteJson(apiKey)},
});
const answer = await client.chat.completions.create({
  model: ${quoteJson(model)},
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`;
  }
}
