import { describedSchema } from "#dialects/answer-schema.ts";
import { append } from "#dialects/append.ts";
import type { Address, Wire } from "#dialects/dialect.ts";
import type {
  ChatRequest,
  Message,
  Reasoning,
  ResponseFormat,
  ServerTool,
  Tool,
  ToolChoice,
} from "#dialects/ir.ts";
import { budgetOfEffort } from "#dialects/reasoning/effort.ts";
import { carriedOptions } from "#dialects/tools/server-tool-options.ts";
import { filterAllowedTools } from "#dialects/tools/tool-names.ts";
import { listUnsupportedAttributes } from "#dialects/unsupported-attributes.ts";
import { geminiTier, tierOf } from "#dialects/usage/service-tier.ts";
import {
  addOwnFields,
  asRecord,
  compact,
  extraOf,
  fieldsIn,
  foreignFields,
  ownFields,
  parseAt,
  listUnsupportedSettings,
  withExtra,
} from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { type CallBook, decodeContent, decodeContents } from "./decode-contents.ts";
import { encodeContents } from "./encode-contents.ts";
import { jsonSchema } from "./function-schema.ts";
import {
  functionDeclaration,
  generationConfig,
  type GeminiGenerationConfig,
  type GeminiRequest,
  geminiRequest,
} from "./schema.ts";
import { signCalls } from "./signatures.ts";

const known = fieldsIn(geminiRequest.out);
const knownConfig = fieldsIn(generationConfig.out);
const knownOfFunction = fieldsIn(functionDeclaration.out);

/** Thinking tokens for the highest effort when the caller set no output limit. */
const thinkingBase = 32_768;

function kindOf(name: string): ServerTool["kind"] {
  if (name === "googleSearch" || name === "googleSearchRetrieval") return "web-search";
  return name === "codeExecution" ? "code-execution" : "other";
}

function decodeTools(wire: GeminiRequest): Pick<ChatRequest, "tools" | "serverTools"> {
  const tools: Tool[] = [];
  const serverTools: ServerTool[] = [];
  for (const { functionDeclarations, ...builtIn } of wire.tools ?? []) {
    for (const declared of functionDeclarations ?? []) {
      const { name, description, parameters, parametersJsonSchema } = declared;
      const schema = parametersJsonSchema ?? (parameters ? jsonSchema(parameters) : undefined);
      const tool = compact<Tool>({ name, description: description ?? undefined, schema });
      tools.push(withExtra(tool, "gemini", declared, knownOfFunction));
    }
    for (const [name, value] of Object.entries(builtIn)) {
      serverTools.push({ kind: kindOf(name), extra: { dialect: "gemini", fields: { [name]: value } } });
    }
  }
  const allowed = wire.toolConfig?.functionCallingConfig?.allowedFunctionNames ?? [];
  return {
    tools: filterAllowedTools(tools.length > 0 ? tools : undefined, allowed.length > 1 ? allowed : []),
    serverTools: serverTools.length > 0 ? serverTools : undefined,
  };
}

function decodeToolChoice(wire: GeminiRequest): ToolChoice | undefined {
  const config = wire.toolConfig?.functionCallingConfig;
  const [name, ...others] = config?.allowedFunctionNames ?? [];
  switch (config?.mode?.toUpperCase()) {
    case "NONE":
      return { type: "none" };
    case "ANY":
      return name !== undefined && others.length === 0 ? { type: "tool", name } : { type: "required" };
    case "AUTO":
    case "VALIDATED":
      return { type: "auto" };
    default:
      return undefined;
  }
}

function decodeReasoning(config: GeminiGenerationConfig | null | undefined): Reasoning | undefined {
  const thinking = config?.thinkingConfig;
  if (!thinking) return undefined;
  const reasoning: Reasoning = {};
  const { thinkingBudget: budget, thinkingLevel: level } = thinking;
  if (budget === -1) reasoning.adaptive = true;
  else if (budget === 0) reasoning.effort = "none";
  else if (budget) reasoning.budgetTokens = budget;
  const effort = level?.toLowerCase();
  if (effort === "minimal" || effort === "low" || effort === "medium" || effort === "high")
    reasoning.effort = effort;
  if (thinking.includeThoughts) reasoning.summary = "auto";
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

function decodeFormat(config: GeminiGenerationConfig | null | undefined): ResponseFormat | undefined {
  if (!config) return undefined;
  const { responseMimeType: type, responseSchema, responseJsonSchema } = config;
  if (responseJsonSchema) return { type: "json-schema", schema: responseJsonSchema };
  if (responseSchema) return { type: "json-schema", schema: jsonSchema(responseSchema) };
  if (type === "application/json") return { type: "json" };
  return type === "text/plain" ? { type: "text" } : undefined;
}

/** Returns fields that the IR cannot fully represent. In `extra`, they complete the IR. */
function decodeExtra(body: GeminiRequest): ChatRequest["extra"] {
  const fields: Wire = extraOf("gemini", body, known)?.fields ?? {};
  const config = extraOf("gemini", body.generationConfig ?? {}, knownConfig)?.fields ?? {};
  if (body.generationConfig?.thinkingConfig?.thinkingLevel) {
    config["thinkingConfig"] = body.generationConfig.thinkingConfig;
  }
  if (Object.keys(config).length > 0) fields["generationConfig"] = config;
  const calling = body.toolConfig?.functionCallingConfig;
  const isPlain = calling?.mode !== "VALIDATED" && (calling?.allowedFunctionNames ?? []).length <= 1;
  const isMore = Object.keys(body.toolConfig ?? {}).some((key) => key !== "functionCallingConfig");
  if (body.toolConfig && (!isPlain || isMore)) fields["toolConfig"] = body.toolConfig;
  return Object.keys(fields).length === 0 ? undefined : { dialect: "gemini", fields };
}

export function decodeRequest(value: unknown, address: Address): ChatRequest {
  const body = parseAt(geminiRequest, value, "");
  const model = address.model ?? body.model?.replace(/^models\//, "");
  if (!model) throw invalidRequest({ reason: "model_in_address" }, { param: "model" });
  const book: CallBook = { open: [], answered: new Set(), count: 0 };
  const messages: Message[] = [];
  if (body.systemInstruction)
    append(messages, decodeContent({ ...body.systemInstruction, role: "system" }, book));
  append(messages, decodeContents(body.contents, book));
  const config = body.generationConfig ?? {};
  const stream = address.stream ?? false;
  return compact<ChatRequest>({
    model,
    stream,
    messages: messages.filter((message) => message.parts.length > 0),
    ...decodeTools(body),
    toolChoice: decodeToolChoice(body),
    maxOutputTokens: config.maxOutputTokens ?? undefined,
    temperature: config.temperature ?? undefined,
    topP: config.topP ?? undefined,
    topK: config.topK ?? undefined,
    stop: config.stopSequences && config.stopSequences.length > 0 ? config.stopSequences : undefined,
    seed: config.seed ?? undefined,
    presencePenalty: config.presencePenalty ?? undefined,
    frequencyPenalty: config.frequencyPenalty ?? undefined,
    logprobs: config.responseLogprobs ?? undefined,
    topLogprobs: config.logprobs ?? undefined,
    n: config.candidateCount ?? undefined,
    responseFormat: decodeFormat(config),
    reasoning: decodeReasoning(config),
    serviceTier: tierOf(body.serviceTier),
    includeUsage: true,
    jsonArrayStream: stream && address.sse === false ? true : undefined,
    extra: decodeExtra(body),
  });
}

const unifiedTools: Partial<Record<ServerTool["kind"], Wire>> = {
  "web-search": { googleSearch: {} },
  "code-execution": { codeExecution: {} },
};

const noOptions = new Set<never>();

function encodeTools(request: ChatRequest, dropped: Set<string>): Wire[] {
  const functionDeclarations = (request.tools ?? []).map(({ name, description, schema, extra }) =>
    addOwnFields("gemini", compact<Wire>({ name, description, parametersJsonSchema: schema }), extra),
  );
  const tools: Wire[] = functionDeclarations.length > 0 ? [{ functionDeclarations }] : [];
  for (const tool of request.serverTools ?? []) {
    const { kind } = tool;
    const own = ownFields("gemini", tool.extra);
    const wire = own ?? unifiedTools[kind];
    if (wire === undefined) dropped.add(kind === "other" ? "server_tools" : kind);
    else tools.push(wire);
    // No search option is supported on all hosts of this API.
    if (own === undefined && wire !== undefined) carriedOptions(tool, noOptions, dropped);
  }
  return tools;
}

function encodeToolChoice(choice: ToolChoice | undefined): Wire | undefined {
  if (choice === undefined) return undefined;
  const modes = { auto: "AUTO", none: "NONE", required: "ANY", tool: "ANY" } as const;
  const allowed = choice.type === "tool" ? { allowedFunctionNames: [choice.name] } : {};
  return { functionCallingConfig: { mode: modes[choice.type], ...allowed } };
}

/** Encodes thinking in tokens rather than levels: every thinking model of this API accepts a budget. */
function encodeThinking(request: ChatRequest): Wire | undefined {
  const { reasoning } = request;
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens, adaptive } = reasoning;
  if (effort === "none" || budgetTokens === 0) return { thinkingBudget: 0 };
  const ofEffort =
    effort && budgetOfEffort(effort, Math.min(request.maxOutputTokens ?? thinkingBase, thinkingBase));
  return compact<Wire>({
    includeThoughts: true,
    thinkingBudget: adaptive === true ? -1 : (budgetTokens ?? ofEffort),
  });
}

function encodeFormat(format: ResponseFormat | undefined): Wire {
  switch (format?.type) {
    case "json":
      return { responseMimeType: "application/json" };
    case "json-schema":
      return { responseMimeType: "application/json", responseJsonSchema: describedSchema(format) };
    case "text":
      return { responseMimeType: "text/plain" };
    default:
      return {};
  }
}

export function encodeRequest(request: ChatRequest): { body: Wire; dropped: string[] } {
  const dropped = new Set<string>();
  const own = ownFields("gemini", request.extra);
  const tools = encodeTools(request, dropped);
  const config = compact<Wire>({
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    candidateCount: request.n,
    maxOutputTokens: request.maxOutputTokens,
    stopSequences: request.stop,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    responseLogprobs: request.logprobs,
    logprobs: request.topLogprobs,
    ...encodeFormat(request.responseFormat),
    thinkingConfig: encodeThinking(request),
    ...asRecord(own?.["generationConfig"]),
  });
  const hasFunctions = (request.tools ?? []).length > 0;
  const output = encodeContents(request.messages, dropped);
  const body = compact<Wire>({
    ...output,
    contents: signCalls(output.contents, request.model),
    tools: tools.length > 0 ? tools : undefined,
    toolConfig: hasFunctions ? encodeToolChoice(request.toolChoice) : undefined,
    serviceTier: geminiTier(request.serviceTier),
    ...own,
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  });
  for (const field of listUnsupportedSettings(request, ["parallelToolCalls", "user"])) dropped.add(field);
  if (body["serviceTier"] === undefined)
    for (const field of listUnsupportedSettings(request, ["serviceTier"])) dropped.add(field);
  for (const name of listUnsupportedAttributes(request, ["cache", "names", "details", "strict"]))
    dropped.add(name);
  for (const field of foreignFields(request.extra, "gemini")) dropped.add(field);
  return { body, dropped: [...dropped] };
}
