/** The models that the demo upstream lists. Any other name is treated as a chat model. */
import type { Json } from "#answer/json.ts";

interface DemoModel {
  id: string;
  label: string;
  /** Methods in the wire format that lists them per model. */
  methods: string[];
}

const chat = ["generateContent", "streamGenerateContent", "countTokens"];

export const demoModels: DemoModel[] = [
  { id: "demo-chat", label: "Demo chat", methods: chat },
  { id: "demo-chat-mini", label: "Demo chat mini", methods: chat },
  { id: "demo-think", label: "Demo think", methods: chat },
  { id: "demo-embed", label: "Demo embed", methods: ["embedContent", "batchEmbedContents"] },
  { id: "demo-image", label: "Demo image", methods: [] },
  { id: "demo-tts", label: "Demo speech", methods: [] },
  { id: "demo-whisper", label: "Demo transcription", methods: [] },
  { id: "demo-rerank", label: "Demo rerank", methods: [] },
  { id: "demo-realtime", label: "Demo realtime", methods: [] },
];

const CREATED = 1_767_225_600;
const INPUT_LIMIT = 131_072;
const OUTPUT_LIMIT = 16_384;

function openaiModel(model: DemoModel): Json {
  return { id: model.id, object: "model", created: CREATED, owned_by: "demo" };
}

function anthropicModel(model: DemoModel): Json {
  const created = new Date(CREATED * 1000).toISOString();
  return { type: "model", id: model.id, display_name: model.label, created_at: created };
}

function geminiModel(model: DemoModel): Json {
  return {
    name: `models/${model.id}`,
    version: "1",
    displayName: model.label,
    inputTokenLimit: INPUT_LIMIT,
    outputTokenLimit: OUTPUT_LIMIT,
    supportedGenerationMethods: model.methods,
  };
}

/** Returns the list, or one model of it; undefined when that model does not exist. */
export function modelsFor(provider: "openai" | "anthropic" | "gemini", id: string): Json | undefined {
  const one = { openai: openaiModel, anthropic: anthropicModel, gemini: geminiModel }[provider];
  if (id !== "") {
    const found = demoModels.find((model) => model.id === id);
    return found === undefined ? undefined : one(found);
  }
  const all = demoModels.map(one);
  switch (provider) {
    case "openai":
      return { object: "list", data: all };
    case "anthropic":
      return { data: all, has_more: false, first_id: demoModels[0]?.id, last_id: demoModels.at(-1)?.id };
    case "gemini":
      return { models: all };
  }
}
