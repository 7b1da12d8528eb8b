import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { z } from "zod";
import { ai360 } from "./definitions/ai360.ts";
import { ali } from "./definitions/ali.ts";
import { anthropic } from "./definitions/anthropic.ts";
import { baichuan } from "./definitions/baichuan.ts";
import { baidu } from "./definitions/baidu.ts";
import { cerebras } from "./definitions/cerebras.ts";
import { azureDatabricks } from "./definitions/cloud/azure-databricks.ts";
import { azureFoundry } from "./definitions/cloud/azure-foundry.ts";
import { azureSpeech } from "./definitions/cloud/azure-speech.ts";
import { azureV1 } from "./definitions/cloud/azure-v1.ts";
import { azure } from "./definitions/cloud/azure.ts";
import { bedrock } from "./definitions/cloud/bedrock.ts";
import { cloudflare } from "./definitions/cloud/cloudflare.ts";
import { github } from "./definitions/cloud/github.ts";
import { nvidia } from "./definitions/cloud/nvidia.ts";
import { vertex } from "./definitions/cloud/vertex.ts";
import { cohere } from "./definitions/cohere.ts";
import { coze } from "./definitions/coze.ts";
import { custom } from "./definitions/custom.ts";
import { deepseek } from "./definitions/deepseek.ts";
import { fireworks } from "./definitions/fireworks.ts";
import { gateway } from "./definitions/gateway.ts";
import { gemini } from "./definitions/gemini.ts";
import { groq } from "./definitions/groq.ts";
import { huggingface } from "./definitions/huggingface.ts";
import { hunyuan } from "./definitions/hunyuan.ts";
import { jina } from "./definitions/jina.ts";
import { lingyi } from "./definitions/lingyi.ts";
import { llama } from "./definitions/llama.ts";
import { llamacpp } from "./definitions/local/llamacpp.ts";
import { lmstudio } from "./definitions/local/lmstudio.ts";
import { ollama } from "./definitions/local/ollama.ts";
import { vllm } from "./definitions/local/vllm.ts";
import { flux } from "./definitions/media/flux.ts";
import { ideogram } from "./definitions/media/ideogram.ts";
import { kling } from "./definitions/media/kling.ts";
import { midjourney } from "./definitions/media/midjourney.ts";
import { recraft } from "./definitions/media/recraft.ts";
import { replicate } from "./definitions/media/replicate.ts";
import { stability } from "./definitions/media/stability.ts";
import { suno } from "./definitions/media/suno.ts";
import { minimax } from "./definitions/minimax.ts";
import { mistral } from "./definitions/mistral.ts";
import { moonshot } from "./definitions/moonshot.ts";
import { novita } from "./definitions/novita.ts";
import { openai } from "./definitions/openai.ts";
import { openrouter } from "./definitions/openrouter.ts";
import { palm } from "./definitions/palm.ts";
import { perplexity } from "./definitions/perplexity.ts";
import { rerank } from "./definitions/rerank.ts";
import { siliconflow } from "./definitions/siliconflow.ts";
import { stepfun } from "./definitions/stepfun.ts";
import { tencent } from "./definitions/tencent.ts";
import { together } from "./definitions/together.ts";
import { volcengine } from "./definitions/volcengine.ts";
import { xai } from "./definitions/xai.ts";
import { xiaomi } from "./definitions/xiaomi.ts";
import { xunfei } from "./definitions/xunfei.ts";
import { zhipu } from "./definitions/zhipu.ts";
import type { Provider } from "./provider.ts";

/**
 * The providers, in the order in which the console lists those of each group. This module depends on
 * their wire formats only, not on accounts, money or HTTP servers. Types up to 56 exist in administrators'
 * databases; providers without such a type are numbered from 900.
 */
const providers: readonly Provider[] = [
  openai,
  anthropic,
  gemini,
  deepseek,
  openrouter,
  azure,
  bedrock,
  vertex,
  custom,
  gateway,
  ollama,
  vllm,
  llamacpp,
  lmstudio,
  rerank,
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
  baichuan,
  cerebras,
  cohere,
  coze,
  fireworks,
  huggingface,
  jina,
  lingyi,
  llama,
  novita,
  perplexity,
  stepfun,
  together,
  xiaomi,
  azureV1,
  azureFoundry,
  azureDatabricks,
  azureSpeech,
  cloudflare,
  nvidia,
  midjourney,
  suno,
  kling,
  flux,
  ideogram,
  recraft,
  replicate,
  stability,
  github,
  palm,
  tencent,
];

export type Providers = ReadonlyMap<number, Provider>;

/** Returns the registry by channel type. The demo provider is added when its server runs. */
export function openProviders(): Map<number, Provider> {
  return new Map(providers.map((provider) => [provider.type, provider]));
}

/** Returns the data about a provider for the console. */
export function describeProvider(provider: Provider): ProviderInfo {
  return {
    type: provider.type,
    id: provider.id,
    label: provider.label,
    icon: provider.icon ?? provider.id,
    group: provider.group ?? "more",
    help: provider.help ?? "providers",
    base_url: provider.isInternal === true ? "" : provider.baseUrl,
    needs_base_url: provider.baseUrl === "",
    needs_key: provider.keyless !== true,
    key_hint: provider.keyHint,
    identity: provider.identity?.cloud ?? null,
    other_label: provider.otherLabel ?? "",
    endpoints: [...provider.endpoints],
    models: [...provider.models],
    test_model: provider.testModel,
    website: provider.website,
    tells_balance: provider.balance !== undefined,
    plugin: provider.plugin === undefined ? null : z.toJSONSchema(provider.plugin),
  };
}
