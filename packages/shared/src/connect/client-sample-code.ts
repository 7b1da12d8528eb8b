/** Sample code of the first call with each client library, ready to run. Pure. */
import { KEY_PLACEHOLDER } from "./connection.ts";
import { inUrlPath, quoteJson, quotedInShell } from "./quoting.ts";
import { openaiSample, type Sample, type SampleLanguage } from "./sample-code.ts";

export const sampleClients = ["OpenAI", "Anthropic", "Gemini"] as const;
export type SampleClient = (typeof sampleClients)[number];

export function sampleCode(client: SampleClient, language: SampleLanguage, sample: Sample): string {
  const filled = { apiKey: KEY_PLACEHOLDER, ...sample };
  switch (client) {
    case "OpenAI":
      return openaiSample(language, filled);
    case "Anthropic":
      return anthropicSample(language, filled);
    case "Gemini":
      return geminiSample(language, filled);
  }
}

function anthropicSample(language: SampleLanguage, { address, model, apiKey }: Required<Sample>): string {
  switch (language) {
    case "curl":
      return `curl ${address}/v1/messages \\
  -H "x-api-key: ${apiKey}" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": ${quotedInShell(model)},
    "max_tokens": 1024,
    "messages": [
      {"role": "user", "content": "Hello"}
    ]
  }'`;
    case "Python":
      return `from anthropic import Anthropic

client = Anthropic(
    base_url=${quoteJson(address)},
    api_key=${quoteJson(apiKey)},
)
answer = client.messages.create(
    model=${quoteJson(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content[0].text)`;
    case "TypeScript":
      return `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: ${quoteJson(address)},
  apiKey: ${quoteJson(apiKey)},
});
const answer = await client.messages.create({
  model: ${quoteJson(model)},
  max_tokens: 1024,
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.content);`;
  }
}

function geminiSample(language: SampleLanguage, { address, model, apiKey }: Required<Sample>): string {
  switch (language) {
    case "curl":
      return `curl ${address}/v1beta/models/${inUrlPath(model)}:generateContent \\
  -H "x-goog-api-key: ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "contents": [
      {"role": "user", "parts": [{"text": "Hello"}]}
    ]
  }'`;
    case "Python":
      return `from google import genai

client = genai.Client(
    api_key=${quoteJson(apiKey)},
    http_options={"base_url": ${quoteJson(address)}},
)
answer = client.models.generate_content(
    model=${quoteJson(model)},
    contents="Hello",
)
print(answer.text)`;
    case "TypeScript":
      return `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({
  apiKey: ${quoteJson(apiKey)},
  httpOptions: { baseUrl: ${quoteJson(address)} },
});
const answer = await client.models.generateContent({
  model: ${quoteJson(model)},
  contents: "Hello",
});
console.log(answer.text);`;
  }
}
