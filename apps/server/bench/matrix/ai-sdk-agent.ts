import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs, promisify } from "node:util";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

/** A small agent on the Vercel AI SDK, run as a program of its own like the other clients. */
const { values } = parseArgs({
  options: {
    dialect: { type: "string" },
    whole: { type: "boolean", default: false },
    gateway: { type: "string", default: "" },
    key: { type: "string", default: "" },
    model: { type: "string", default: "" },
    prompt: { type: "string", default: "" },
  },
});
const { gateway, key: apiKey, model, prompt } = values;
const baseURL = `${gateway}/v1`;
const models: Record<string, () => LanguageModel> = {
  chat: () => createOpenAICompatible({ name: "gateway", baseURL, apiKey, includeUsage: true })(model),
  responses: () => createOpenAI({ baseURL, apiKey })(model),
  messages: () => createAnthropic({ baseURL, apiKey })(model),
  gemini: () => createGoogleGenerativeAI({ baseURL: `${gateway}/v1beta`, apiKey })(model),
};
const create = models[values.dialect ?? ""];
if (create === undefined) throw new Error(`Say which dialect: ${Object.keys(models).join(", ")}.`);

const request = {
  model: create(),
  prompt,
  maxRetries: 0,
  stopWhen: stepCountIs(10),
  tools: {
    read: tool({
      description: "Reads a file.",
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }) => readFile(path, "utf8"),
    }),
    edit: tool({
      description: "Replaces a text in a file.",
      inputSchema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
      async execute({ path, before, after }) {
        await writeFile(path, (await readFile(path, "utf8")).replace(before, after));
        return { edited: path };
      },
    }),
    run: tool({
      description: "Runs a command.",
      inputSchema: z.object({ command: z.string() }),
      execute: async ({ command }) => (await promisify(execFile)("sh", ["-c", command])).stdout,
    }),
  },
};
const leave = new AbortController();
process.once("SIGINT", () => leave.abort());

if (values.whole) console.log((await generateText({ ...request, abortSignal: leave.signal })).text);
else {
  let failure: unknown;
  const { textStream } = streamText({
    ...request,
    abortSignal: leave.signal,
    onError({ error }) {
      failure = error;
    },
  });
  for await (const text of textStream) process.stdout.write(text);
  if (failure !== undefined) throw failure;
}
