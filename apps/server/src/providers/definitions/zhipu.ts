import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { bearerOrAnthropic, type RequestShape, type Provider } from "#providers/provider.ts";
import {
  type Adjust,
  clampField,
  freeToolChoice,
  jsonWithoutSchema,
  onChat,
  plain,
} from "#providers/quirks.ts";

const onOff = (title: string) => z.object({ enable: z.boolean().optional().meta({ title }) }).optional();

const plugin = z.object({
  retrieval: z
    .object({
      knowledge_id: z.string().optional().meta({ title: "Knowledge base" }),
      prompt_template: z.string().optional().meta({
        title: "Prompt template",
        description: "Must contain {{ knowledge }} and {{ question }}",
      }),
    })
    .optional()
    .meta({ title: "Retrieval" }),
  web_search: onOff("Let the model search the web").meta({ title: "Web search" }),
  web_browser: onOff("Let glm-4-alltools browse").meta({ title: "Web browser" }),
  drawing_tool: onOff("Let glm-4-alltools draw").meta({ title: "Drawing" }),
  code_interpreter: z
    .object({
      sandbox: z.enum(["auto", "none"]).optional().meta({ title: "Sandbox of glm-4-alltools" }),
    })
    .optional()
    .meta({ title: "Code interpreter" }),
});
type Features = z.infer<typeof plugin>;

/** Adds the provider's own tools that the channel enables to the caller's tools. */
function withTools(body: Wire, call: RequestShape): Wire {
  const features: Features = plugin.safeParse(call.plugin).data ?? {};
  const tools: Wire[] = [];
  if (features.retrieval?.knowledge_id) tools.push({ type: "retrieval", retrieval: features.retrieval });
  if (features.web_search?.enable)
    tools.push({ type: "web_search", web_search: { enable: true, search_engine: "search_std" } });
  if (call.model === "glm-4-alltools") {
    if (features.web_browser?.enable) tools.push({ type: "web_browser", web_browser: { browser: "auto" } });
    if (features.drawing_tool?.enable) tools.push({ type: "drawing_tool" });
    if (features.code_interpreter?.sandbox)
      tools.push({ type: "code_interpreter", code_interpreter: features.code_interpreter });
  }
  if (tools.length === 0) return body;
  const own: unknown[] = Array.isArray(body["tools"]) ? body["tools"] : [];
  return { ...body, tools: [...own, ...tools] };
}

/** Models before 4.5 cannot be forced to call a tool. */
const freeAtOlderModels: Adjust = (body, call) => {
  const { major, minor } = /glm-(?<major>\d+)(?:\.(?<minor>\d+))?/.exec(call.model)?.groups ?? {};
  return Number(major ?? 4) + Number(minor ?? 0) / 10 >= 4.5 ? body : freeToolChoice(body, call);
};

/**
 * https://docs.bigmodel.cn/api-reference, read 2026-11-21. Its keys, of the form id.secret, are now sent as
 * bearer tokens.
 */
export const zhipu: Provider = {
  type: 16,
  id: "zhipu",
  label: "Zhipu GLM",
  help: "provider-china",
  baseUrl: "https://open.bigmodel.cn",
  dialects: ["openai-chat", "anthropic"],
  endpoints: ["chat", "embeddings", "images", "audio", "rerank"],
  // https://docs.bigmodel.cn/cn/api/api-code, read 2026-11-21.
  refusals: {
    kinds: {
      1110: "auth",
      1111: "auth",
      1112: "auth",
      1113: "quota",
      1121: "auth",
      1211: "not-found",
      1220: "not-found",
      1221: "not-found",
      1222: "not-found",
      1261: "bad-request",
      1301: "bad-request",
      1305: "overloaded",
      1309: "quota",
      1311: "not-found",
      1312: "overloaded",
    },
  },
  keyHint: "id.secret",
  models: ["glm-5.3", "glm-5.2", "glm-5.3-flash", "glm-4.7", "glm-4.5-flash", "embedding-3", "cogview-4"],
  testModel: "glm-4.5-flash",
  website: "https://open.bigmodel.cn",
  plugin,
  headers: bearerOrAnthropic,
  path: ({ dialect }, standard) =>
    dialect === "anthropic" ? `/api/anthropic${standard}` : standard.replace(/^\/v1(?=\/)/, "/api/paas/v4"),
  adjustRequest: onChat(
    ...plain,
    clampField("temperature", 0, 1),
    clampField("top_p", 0.01, 1),
    freeAtOlderModels,
    jsonWithoutSchema,
    withTools,
  ),
};
