import { entryOf } from "@gateway/shared/lookup-table";
import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, ServerTool } from "#dialects/ir.ts";
import { isExactNumber } from "#dialects/json/parse-json.ts";
import { asRecord, ownFields } from "#dialects/wire.ts";

/**
 * Costs of a request beyond its text and its output limit: sound and images as output, provider-run tools,
 * thinking with its own limit, input stored at the provider. Read from the body, because the IR has no fields
 * for most of it. Pure and independent of prices.
 */
export interface Spending {
  /** Requested output other than text. */
  audio: boolean;
  image: boolean;
  /** Thinking tokens that some providers do not count against the output limit. */
  thinking: number;
  /** True when thinking was requested, under any name. */
  thinks: boolean;
  /** Predicted text of the response. Differences from it are billed as output. */
  predicted: unknown;
  /** Calls of provider tools by unified name: the number that the request allows, else `assumedToolCalls`. */
  toolCalls: Record<string, number>;
  /** Images of the image tool, and partial images for each. */
  toolImages: number;
  partialImages: number;
  /** Tokens that the provider stores and adds to the input: a conversation, a cache, a prompt. 0 = none. */
  storedTokens: number;
  /**
   * True when the provider adds input that the request does not contain:
   * stored data, files, results of its tools.
   */
  unseen: boolean;
}

/** Number of calls assumed for a provider tool when the request sets no limit. */
export const assumedToolCalls = 5;
/** Upper bound of a request's limit: no response has more calls of one tool. */
const mostToolCalls = 100;

/**
 * Tools as the wire formats name them, by unified name; the first match applies.
 * A tool without a match has no price.
 */
const toolNames: readonly (readonly [RegExp, string])[] = [
  [/^x_?search/i, "x-search"],
  [/web_?search|browser_search|google_?search|news_?search/i, "web-search"],
  [/web_?fetch|url_?context|visit_?website/i, "web-fetch"],
  [/code_?(?:execution|interpreter)/i, "code-execution"],
  [/file_?search|collections_?search|retrieval/i, "file-search"],
  [/image_?generation/i, "image-generation"],
];

/** Tokens assumed for stored data whose length is unknown. */
const assumedStoredTokens = 10_000;

export interface Earlier {
  /** The request contains everything, although the body refers to data that the provider might store. */
  rewritten?: boolean;
  /** Tokens of the stored conversation or cached content that the request continues, if known. */
  earlierTokens?: number;
}

export function spendingOf(
  body: Wire,
  { serverTools = [], messages, extra }: ChatRequest,
  earlier: Earlier = {},
): Spending {
  const storedTokens = storedIn(body, earlier);
  // Interactions name the settings of Gemini elsewhere; decoded, they are in one place. Any of these places may reach a
  // provider, so none of them hides another.
  const configs = [
    ownFields("gemini", extra)?.["generationConfig"],
    body["generationConfig"],
    body["generation_config"],
  ].map((config) => asRecord(config) ?? {});
  const modalities = namesIn(
    body["modalities"],
    ...configs.flatMap((config) => [config["responseModalities"], config["response_modalities"]]),
  );
  const sounds = [
    body["audio"],
    ...configs.flatMap((config) => [config["speechConfig"], config["speech_config"]]),
  ];
  const toolCalls: Record<string, number> = {};
  let toolImages = 0;
  let partialImages = 0;
  for (const tool of serverTools) {
    const name = toolName(tool);
    if (name === undefined) continue;
    const calls = callsOf(tool, body);
    toolCalls[name] = Math.max(entryOf(toolCalls, name) ?? 0, calls);
    if (name !== "image-generation") continue;
    toolImages = Math.max(toolImages, calls);
    partialImages = Math.max(partialImages, count(tool.extra.fields["partial_images"], 3));
  }
  return {
    audio: modalities.has("audio") || sounds.some((sound) => asRecord(sound) !== undefined),
    image: modalities.has("image"),
    ...thinkingIn(body, 0),
    predicted: asRecord(body["prediction"])?.["content"],
    toolCalls,
    toolImages,
    partialImages,
    storedTokens,
    unseen: storedTokens > 0 || serverTools.length > 0 || hasUnseenParts(messages),
  };
}

/** Fields with stored data whose length the gateway may know. */
const continued = new Set(["previous_response_id", "cachedContent", "cached_content"]);

function storedIn(body: Wire, { rewritten = false, earlierTokens = 0 }: Earlier): number {
  if (rewritten) return 0;
  let tokens = 0;
  // The fields that are there: reading many absent ones by name is slow.
  for (const name of Object.keys(body)) {
    if (!kept.has(name) || !isSet(body[name])) continue;
    const known = continued.has(name) ? earlierTokens : 0;
    tokens += known > 0 ? known : assumedStoredTokens;
  }
  return tokens;
}

/** Fields that refer to data stored at the provider: conversations, caches, prompts, indexes. */
const kept: ReadonlySet<string> = new Set(
  "previous_response_id conversation prompt cachedContent cached_content data_sources container mcp_servers".split(
    " ",
  ),
);

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function hasUnseenParts(messages: ChatRequest["messages"]): boolean {
  return messages.some(({ parts }) =>
    parts.some((part) =>
      part.type === "tool-result"
        ? hasUnseenParts([{ role: "user", parts: part.parts }])
        : part.type === "foreign" || ("source" in part && part.source.type !== "data"),
    ),
  );
}

const noNames: ReadonlySet<string> = new Set();

function namesIn(...lists: readonly unknown[]): ReadonlySet<string> {
  const given = lists.filter((list) => Array.isArray(list));
  return given.length === 0 ? noNames : new Set(given.flat().map((each) => String(each).toLowerCase()));
}

function toolName({ kind, extra: { fields } }: ServerTool): string | undefined {
  if (kind !== "other") return kind;
  const { type } = fields;
  const inner = asRecord(fields["function"])?.["name"];
  const value = [type, inner, ...(type === undefined ? Object.keys(fields) : [])].filter(
    (name) => typeof name === "string",
  );
  return toolNames.find(([names]) => value.some((name) => names.test(name)))?.[1];
}

function callsOf({ extra: { fields } }: ServerTool, body: Wire): number {
  const limits = [count(fields["max_uses"], mostToolCalls), count(body["max_tool_calls"], mostToolCalls)];
  return Math.max(...limits) || assumedToolCalls;
}

function count(value: unknown, most: number): number {
  return typeof value === "number" && value > 0 ? Math.min(Math.ceil(value), most) : 0;
}

/** Limits of thinking, under all names that providers of these formats read. */
const budgets =
  /^(?:thinking_?budget|budget_?tokens|thinking_?token_?budget|max_?(?:thinking|reasoning)_?tokens|reasoning_?(?:budget|max_?tokens))$/i;
/** Fields that switch thinking on, and set its mode. */
const switches =
  /^(?:enable_?(?:thinking|reasoning)|think|(?:thinking|reasoning)(?:_?mode)?|include_?reasoning)$/i;
const switchedOn = new Set<unknown>([
  true,
  "true",
  "on",
  "enabled",
  "adaptive",
  "auto",
  "low",
  "medium",
  "high",
]);
/** Fields with content of the caller, in which no server reads settings. */
const contents = new Set(["messages", "input", "contents", "tools", "functions", "system", "metadata"]);

function thinkingIn(fields: Wire, depth: number): Pick<Spending, "thinking" | "thinks"> {
  let thinking = 0;
  let thinks = false;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    const value = isExactNumber(field) ? field.rawJSON : field;
    if (typeof value === "object") {
      if (depth >= 3 || value === null || contents.has(name)) continue;
      for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
        const inner = asRecord(each);
        if (inner === undefined) continue;
        const found = thinkingIn(inner, depth + 1);
        thinking = Math.max(thinking, found.thinking);
        const isSwitch =
          switches.test(name) && (switchedOn.has(inner["type"]) || switchedOn.has(inner["enabled"]));
        thinks ||= found.thinks || isSwitch;
      }
    } else {
      // JSON of protocol buffers allows a number in quotes, too.
      if (Number(value) > thinking && budgets.test(name)) thinking = Number(value);
      thinks ||= switchedOn.has(value) && switches.test(name);
    }
  }
  return { thinking, thinks: thinks || thinking > 0 };
}
