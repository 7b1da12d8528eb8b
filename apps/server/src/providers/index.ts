import type { ProviderInfo } from "@gateway/shared/provider";
import { z } from "zod";
import { anthropic } from "./anthropic.ts";
import { custom } from "./custom.ts";
import { deepseek } from "./deepseek.ts";
import { demo } from "./demo.ts";
import { gemini } from "./gemini.ts";
import { groq } from "./groq.ts";
import { mistral } from "./mistral.ts";
import { moonshot } from "./moonshot.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import type { Provider } from "./provider.ts";
import { siliconflow } from "./siliconflow.ts";
import { xai } from "./xai.ts";

/** The vendors, one line each. This room knows their wires and nothing of accounts, money or HTTP servers. */
const vendors: readonly Provider[] = [
  openai,
  custom,
  anthropic,
  openrouter,
  gemini,
  deepseek,
  moonshot,
  mistral,
  groq,
  siliconflow,
  xai,
];

export type Providers = ReadonlyMap<number, Provider>;

/** The registry by channel type. The demo vendor is in it only while its server runs. */
export function openProviders(demoUrl?: string): Providers {
  const all = demoUrl === undefined ? vendors : [...vendors, demo(demoUrl)];
  return new Map(all.map((provider) => [provider.type, provider]));
}

/** What the console may know about a vendor. */
export function describeProvider(provider: Provider): ProviderInfo {
  return {
    type: provider.type,
    id: provider.id,
    label: provider.label,
    icon: provider.icon ?? provider.id,
    base_url: provider.id === "demo" ? "" : provider.baseUrl,
    needs_base_url: provider.baseUrl === "",
    needs_key: provider.keyless !== true,
    key_hint: provider.keyHint,
    other_label: provider.otherLabel ?? "",
    endpoints: [...provider.endpoints],
    models: [...provider.models],
    test_model: provider.testModel,
    website: provider.website,
    plugin: provider.plugin === undefined ? null : z.toJSONSchema(provider.plugin),
  };
}
