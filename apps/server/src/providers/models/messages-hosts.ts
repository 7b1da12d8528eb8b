/**
 * What each host of Claude accepts beyond the common Messages API: beta features, fields, and tools that the
 * host runs. Anthropic's own API accepts everything; a host rejects the whole request for one unknown flag or
 * field. Clients such as Claude Code send the flags of the newest version to every address.
 */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { mapField } from "#providers/map-field.ts";
import type { RequestShape, MessagesHost, Provider } from "#providers/provider.ts";
import { withoutKeys } from "#providers/schemas/walk.ts";

const same = (...flags: string[]) => Object.fromEntries(flags.map((flag) => [flag, [flag]]));

const search = "tool-search-tool-2025-10-19";
const examples = "tool-examples-2025-10-29";
/** Anthropic's name for several features, which the other hosts know one by one. */
const toolUse = "advanced-tool-use-2025-11-20";

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html */
export const bedrockHost: MessagesHost = {
  betas: lookupTable<readonly string[]>({
    ...same(
      "interleaved-thinking-2025-05-14",
      "dev-full-thinking-2025-05-14",
      "context-1m-2025-08-07",
      "context-management-2025-06-27",
      "effort-2025-11-24",
      "computer-use-2025-01-24",
      "computer-use-2025-11-24",
      "token-efficient-tools-2025-02-19",
      "output-128k-2025-02-19",
      search,
      examples,
    ),
    [toolUse]: [search, examples],
  }),
  fields: new Set(["mcp_servers", "container", "service_tier", "speed", "inference_geo", "diagnostics"]),
  tools: /^(?:web_search|web_fetch|code_execution|mcp_toolset|advisor)/,
};

/** https://docs.claude.com/en/api/claude-on-vertex-ai */
export const vertexHost: MessagesHost = {
  betas: lookupTable<readonly string[]>({
    ...same(
      "interleaved-thinking-2025-05-14",
      "context-1m-2025-08-07",
      "context-management-2025-06-27",
      "compact-2026-01-12",
      "computer-use-2025-01-24",
      "computer-use-2025-11-24",
      "web-search-2025-03-05",
      search,
    ),
    [toolUse]: [search],
  }),
  fields: new Set(["mcp_servers", "container", "service_tier", "speed", "inference_geo", "diagnostics"]),
  tools: /^(?:web_fetch|code_execution|mcp_toolset|advisor)/,
};

/** https://learn.microsoft.com/azure/ai-foundry/foundry-models/how-to/use-foundry-models-claude */
export const foundryHost: MessagesHost = {
  betas: lookupTable<readonly string[]>(
    same(
      "interleaved-thinking-2025-05-14",
      "context-1m-2025-08-07",
      "context-management-2025-06-27",
      "compact-2026-01-12",
      "effort-2025-11-24",
      "computer-use-2025-01-24",
      "computer-use-2025-11-24",
      "code-execution-2025-08-25",
      "files-api-2025-04-14",
      "mcp-client-2025-04-04",
      "mcp-client-2025-11-20",
      "prompt-caching-scope-2026-01-05",
      "skills-2025-10-02",
      "structured-outputs-2025-11-13",
      "web-fetch-2025-09-10",
      "web-search-2025-03-05",
      toolUse,
      search,
      examples,
    ),
  ),
  fields: new Set(["service_tier", "speed", "inference_geo"]),
  tools: /^advisor/,
};

/** Returns the flags that a host knows, by its own names and without repetitions. */
export function betasFor({ betas }: MessagesHost, requested: readonly string[]): string[] {
  return [...new Set(requested.flatMap((flag) => betas[flag.trim()] ?? []))];
}

/** Header with the beta features of the Messages API, separated by commas. */
const betaHeader = "anthropic-beta";

/** Returns the client's headers for its own dialect, with the beta features that this host knows. */
export function selectForwardedHeaders(
  { messages }: Provider,
  headers: Record<string, string>,
): Record<string, string> {
  const requested = headers[betaHeader];
  if (messages === undefined || requested === undefined) return headers;
  const { [betaHeader]: _requested, ...rest } = headers;
  const betas = betasFor(messages, requested.split(","));
  return betas.length === 0 ? rest : { ...rest, [betaHeader]: betas.join(",") };
}

/** Returns the beta features in a request's headers. */
export function betasIn(headers: Record<string, string>): string[] {
  return headers[betaHeader]?.split(",") ?? [];
}

/** Fields of a tool, and the flags of which one makes a host accept the field. */
const toolFields: readonly (readonly [string, readonly string[]])[] = [
  ["defer_loading", [search, toolUse]],
  ["input_examples", [examples, toolUse]],
  ["allowed_callers", [toolUse]],
  ["eager_input_streaming", ["fine-grained-tool-streaming-2025-05-14"]],
];
const cacheScope = "prompt-caching-scope-2026-01-05";

/** Adjusts a Messages body to a host of Claude; returns the same body when nothing changes. */
export function hostLimits(host: MessagesHost): (body: Wire, call: RequestShape) => Wire {
  return (body, call) => {
    if (call.dialect !== "anthropic") return body;
    const own = Array.isArray(body["anthropic_beta"]) ? body["anthropic_beta"].map(String) : [];
    const betas = new Set([...(call.betas ?? []), ...betasFor(host, own)]);
    let next = withoutFields(body, host.fields);
    if (own.length > 0) {
      const { anthropic_beta: _given, ...rest } = next;
      next = { ...rest, anthropic_beta: [...betas] };
    }
    return mapBlocks(withToolsOf(next, host, betas), (block) => blockFor(block, betas));
  };
}

function withoutFields(body: Wire, fields: ReadonlySet<string>): Wire {
  return Object.keys(body).some((name) => fields.has(name)) ? withoutKeys(body, fields) : body;
}

function withToolsOf(body: Wire, host: MessagesHost, betas: ReadonlySet<string>): Wire {
  const { tools } = body;
  if (!Array.isArray(tools)) return body;
  const refused = new Set(
    toolFields.filter(([, flags]) => !flags.some((flag) => betas.has(flag))).map(([name]) => name),
  );
  const run = tools.filter((tool: unknown) => {
    const type = asRecord(tool)?.["type"];
    return typeof type !== "string" || !host.tools.test(type);
  });
  const list = run.map((tool: unknown) => {
    const wire = asRecord(tool);
    return wire === undefined ? tool : withoutFields(wire, refused);
  });
  const isSame = list.length === tools.length && list.every((each, at) => each === tools[at]);
  if (isSame) return body;
  if (list.length > 0) return { ...body, tools: list };
  return withoutKeys(body, new Set(["tools", "tool_choice"]));
}

/** Returns the block as the host accepts it. */
function blockFor(block: Wire, betas: ReadonlySet<string>): Wire {
  const cache = asRecord(block["cache_control"]);
  const next =
    cache !== undefined && "scope" in cache && !betas.has(cacheScope)
      ? { ...block, cache_control: withoutKeys(cache, new Set(["scope"])) }
      : block;
  if (block["type"] !== "tool_reference" || betas.has(search) || betas.has(toolUse)) return next;
  return { type: "text", text: `Tool: ${String(block["tool_name"])}` };
}

/** Changes all blocks with settings of their own: of the system prompt, the messages, and the tools. */
function mapBlocks(body: Wire, change: (block: Wire) => Wire): Wire {
  let next = body;
  for (const field of ["system", "tools"]) next = mapField(next, field, change);
  return mapField(next, "messages", (message) => withContent(message, change));
}

function withContent(owner: Wire, change: (block: Wire) => Wire): Wire {
  return mapField(owner, "content", (block) => {
    const changed = change(block);
    return block["type"] === "tool_result" ? withContent(changed, change) : changed;
  });
}
