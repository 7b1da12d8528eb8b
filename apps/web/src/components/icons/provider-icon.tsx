/**
 * Logos of providers, as static files of our own. Single-colour
 * logos use the text colour, so they work in dark mode.
 */
import { lookupTable } from "@gateway/shared/lookup-table";
import { IconFlask2, IconServer2 } from "@tabler/icons-react";
import classes from "./provider-icon.module.css";

const files = import.meta.glob<string>(
  [
    "/node_modules/@lobehub/icons-static-svg/icons/{ai360,azure,azureai,baai,baichuan,baidu,baiducloud,bailian,bedrock,bytedance,chatglm,cherrystudio,claude,cloudflare,cohere,deepinfra,deepseek,doubao,fireworks,gemini,gemma,google,hailuo,huggingface,hunyuan,hyperbolic,iflytekcloud,internlm,kling,kolors,meta,microsoft,minimax,mistral,modelscope,novita,nova,nvidia,openrouter,palm,perplexity,ppio,qwen,sambanova,sensenova,siliconcloud,spark,stability,stepfun,tencent,tencentcloud,together,upstage,vertexai,vllm,volcengine,voyage,wenxin,xinference,zhipu}-color.svg",
    "/node_modules/@lobehub/icons-static-svg/icons/{anthropic,aws,bfl,cerebras,cline,coze,elevenlabs,fal,fishaudio,flux,github,githubcopilot,grok,groq,ideogram,jina,kimi,lmstudio,luma,midjourney,moonshot,newapi,ollama,openai,opencode,openwebui,poe,recraft,replicate,runway,suno,xai,xiaomimimo,yi,zai,zeroone}.svg",
  ],
  { query: "?url", import: "default", eager: true },
);

const urls = new Map<string, { url: string; color: boolean }>();
for (const [path, url] of Object.entries(files)) {
  const file = path.slice(path.lastIndexOf("/") + 1, -".svg".length);
  const color = file.endsWith("-color");
  urls.set(color ? file.slice(0, -"-color".length) : file, { url, color });
}

/** Alternative names of providers. */
const aliases = lookupTable<string>({
  ali: "qwen",
  alibaba: "qwen",
  dashscope: "qwen",
  lingyi: "yi",
  lingyiwanwu: "yi",
  llama: "meta",
  siliconflow: "siliconcloud",
  vertex: "vertexai",
  xunfei: "spark",
});

/** Patterns of model names and their providers. A name that matches none has no known provider. */
const families: [RegExp, string][] = [
  [/^demo\b/, "demo"],
  [
    /^(gpt|chatgpt|chat-latest|o[134](-|$)|text-embedding-(3|ada)|text-moderation|omni-|dall-e|whisper|tts-|davinci|babbage|codex|sora|computer-use)/,
    "openai",
  ],
  [/claude/, "claude"],
  [/gemini|^(imagen|veo|text-embedding-00|models\/)/, "gemini"],
  [/gemma/, "gemma"],
  [/deepseek/, "deepseek"],
  [/qwen|qwq|qvq|^(wan|tongyi)/, "qwen"],
  [/glm|cogview|cogvideo/, "zhipu"],
  [/kimi/, "kimi"],
  [/moonshot/, "moonshot"],
  [/mistral|mixtral|codestral|ministral|pixtral|magistral|devstral/, "mistral"],
  [/llama/, "meta"],
  [/grok/, "grok"],
  [/command|^(embed|rerank)-/, "cohere"],
  [/ernie/, "wenxin"],
  [/hunyuan/, "hunyuan"],
  [/doubao|seedream|seedance/, "doubao"],
  [/^yi-/, "yi"],
  [/abab|minimax/, "minimax"],
  [/^spark/, "spark"],
  [/^step-/, "stepfun"],
  [/baichuan/, "baichuan"],
  [/bge-/, "baai"],
  [/flux/, "flux"],
  [/suno|chirp/, "suno"],
  [/^mj|midjourney/, "midjourney"],
  [/^(sd|stable|stability)/, "stability"],
  [/jina/, "jina"],
  [/sonar|pplx/, "perplexity"],
  [/kling/, "kling"],
  [/nova-/, "nova"],
  [/internlm/, "internlm"],
  [/nemotron/, "nvidia"],
  [/phi-/, "microsoft"],
];

export function providerOfModel(model: string): string | null {
  const name = model.toLowerCase().replace(/^.*\//, "");
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** @param name id, label or icon name of a provider; an unknown one gets a neutral icon */
export function ProviderIcon({ name, size = 18 }: { name: string; size?: number }) {
  const key = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  if (key === "demo") return <IconFlask2 size={size} stroke={1.7} aria-hidden className={classes.icon} />;
  const icon = urls.get(key) ?? urls.get(aliases[key] ?? "");
  if (!icon) return <IconServer2 size={size} stroke={1.6} aria-hidden className={classes.icon} />;
  if (icon.color)
    return <img src={icon.url} width={size} height={size} alt="" className={classes.icon} loading="lazy" />;
  return (
    <span
      aria-hidden
      className={classes.mask}
      style={{ width: size, height: size, maskImage: `url("${icon.url}")` }}
    />
  );
}

export function ModelIcon({ model, size = 18 }: { model: string; size?: number }) {
  return <ProviderIcon name={providerOfModel(model) ?? ""} size={size} />;
}
