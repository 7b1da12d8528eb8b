import type { ProviderInfo } from "@gateway/shared/provider";
import { z } from "zod";
import { ai360 } from "./ai360.ts";
import { ali } from "./ali.ts";
import { anthropic } from "./anthropic.ts";
import { azureDatabricks } from "./azure-databricks.ts";
import { azureFoundry } from "./azure-foundry.ts";
import { azureSpeech } from "./azure-speech.ts";
import { azureV1 } from "./azure-v1.ts";
import { azure } from "./azure.ts";
import { baichuan } from "./baichuan.ts";
import { baidu } from "./baidu.ts";
import { bedrock } from "./bedrock.ts";
import { cerebras } from "./cerebras.ts";
import { cloudflare } from "./cloudflare.ts";
import { cohere } from "./cohere.ts";
import { coze } from "./coze.ts";
import { custom } from "./custom.ts";
import { deepseek } from "./deepseek.ts";
import { fireworks } from "./fireworks.ts";
import { flux } from "./flux.ts";
import { gateway } from "./gateway.ts";
import { gemini } from "./gemini.ts";
import { github } from "./github.ts";
import { groq } from "./groq.ts";
import { huggingface } from "./huggingface.ts";
import { hunyuan } from "./hunyuan.ts";
import { ideogram } from "./ideogram.ts";
import { jina } from "./jina.ts";
import { kling } from "./kling.ts";
import { lingyi } from "./lingyi.ts";
import { llama } from "./llama.ts";
import { llamacpp } from "./llamacpp.ts";
import { lmstudio } from "./lmstudio.ts";
import { midjourney } from "./midjourney.ts";
import { minimax } from "./minimax.ts";
import { mistral } from "./mistral.ts";
import { moonshot } from "./moonshot.ts";
import { novita } from "./novita.ts";
import { nvidia } from "./nvidia.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import { palm } from "./palm.ts";
import { perplexity } from "./perplexity.ts";
import type { Provider } from "./provider.ts";
import { recraft } from "./recraft.ts";
import { replicate } from "./replicate.ts";
import { rerank } from "./rerank.ts";
import { siliconflow } from "./siliconflow.ts";
import { stability } from "./stability.ts";
import { stepfun } from "./stepfun.ts";
import { suno } from "./suno.ts";
import { tencent } from "./tencent.ts";
import { together } from "./together.ts";
import { vertex } from "./vertex.ts";
import { vllm } from "./vllm.ts";
import { volcengine } from "./volcengine.ts";
import { xai } from "./xai.ts";
import { xiaomi } from "./xiaomi.ts";
import { xunfei } from "./xunfei.ts";
import { zhipu } from "./zhipu.ts";

/**
 * The vendors, in the order in which the console offers them: the usual ones first. This room knows their wires and
 * nothing of accounts, money or HTTP servers. Types up to 56 are those that operators' databases already hold; ours
 * for vendors without one begin at 900.
 */
const vendors: readonly Provider[] = [
  openai,
  anthropic,
  gemini,
  custom,
  azure,
  azureV1,
  azureFoundry,
  azureSpeech,
  bedrock,
  vertex,
  openrouter,
  deepseek,
  zhipu,
  ali,
  volcengine,
  moonshot,
  minimax,
  baidu,
  hunyuan,
  xunfei,
  siliconflow,
  xai,
  mistral,
  groq,
  ai360,
  azureDatabricks,
  baichuan,
  cerebras,
  cloudflare,
  cohere,
  coze,
  fireworks,
  flux,
  gateway,
  github,
  huggingface,
  ideogram,
  jina,
  kling,
  lingyi,
  llama,
  llamacpp,
  lmstudio,
  midjourney,
  novita,
  nvidia,
  ollama,
  perplexity,
  recraft,
  replicate,
  rerank,
  stability,
  stepfun,
  suno,
  together,
  vllm,
  xiaomi,
  palm,
  tencent,
];

export type Providers = ReadonlyMap<number, Provider>;

/** The registry by channel type. The demo provider is added to it when its server runs. */
export function openProviders(): Map<number, Provider> {
  return new Map(vendors.map((provider) => [provider.type, provider]));
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
    tells_balance: provider.balance !== undefined,
    plugin: provider.plugin === undefined ? null : z.toJSONSchema(provider.plugin),
  };
}
