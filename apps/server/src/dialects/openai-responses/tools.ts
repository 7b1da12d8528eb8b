/** Tools in the Responses format: functions, plain text tools, groups of both, and provider-run tools. */
import type { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, ServerTool, Tool } from "#dialects/ir.ts";
import { approximate, carriedOptions } from "#dialects/tools/server-tool-options.ts";
import { addOwnFields, compact, fieldsIn, ownFields, parseAt, withExtra } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { decodeFreeformTool } from "./freeform.ts";
import { group, groupedTool, placeOf, regroupTools } from "./grouped.ts";
import { wireTool } from "./schema.ts";
import { decodeSearchTool, isSearchTool } from "./tool-search.ts";

/** A list of tools and its path in the request. */
export interface OfferedTools {
  at: string;
  tools: unknown[];
  /** The list belongs to an item that stays in the conversation. */
  inConversation?: boolean;
}

function kindOf(type: string): ServerTool["kind"] {
  if (type.startsWith("web_search")) return "web-search";
  return type === "code_interpreter" ? "code-execution" : "other";
}

const knownOfTool = fieldsIn(wireTool);
const knownOfCustomTool: ReadonlySet<string> = new Set(["type", "name", "description", "format"]);

function decodeFunction(wire: z.infer<typeof wireTool>, at: string): Tool {
  if (!wire.name) throw invalidRequest({ reason: "field_required", field: `${at}.name` });
  const tool = compact<Tool>({
    name: wire.name,
    description: wire.description ?? undefined,
    schema: wire.parameters ?? undefined,
    strict: wire.strict ?? undefined,
  });
  return withExtra(tool, "openai-responses", wire, knownOfTool);
}

type DecodedTools = { tools: Tool[]; server?: ServerTool };

function decodeTool(value: unknown, at: string): DecodedTools {
  const wire = parseAt(wireTool, value, at);
  if (wire.type === "function") return { tools: [decodeFunction(wire, at)] };
  const freeform = wire.type === "custom" ? decodeFreeformTool(wire) : undefined;
  if (freeform !== undefined)
    return { tools: [withExtra(freeform, "openai-responses", wire, knownOfCustomTool)] };
  const search = wire.type === "tool_search" ? decodeSearchTool(wire) : undefined;
  if (search !== undefined) return { tools: [search] };
  if (wire.type === "namespace") {
    const whole = parseAt(group, value, at);
    const members = whole.tools.flatMap((member, index) => decodeTool(member, `${at}.tools.${index}`).tools);
    return { tools: members.map((member) => groupedTool(member, whole)) };
  }
  return {
    tools: [],
    server: { kind: kindOf(wire.type), extra: { dialect: "openai-responses", fields: wire } },
  };
}

/**
 * Decodes tools. Throws `invalidRequest`. Drops a grouped tool whose flat name is taken,
 * because calls would reach the other tool.
 */
export function decodeTools(offered: OfferedTools[]): Pick<ChatRequest, "tools" | "serverTools"> {
  const tools: Tool[] = [];
  const names = new Set<string>();
  const serverTools: ServerTool[] = [];
  for (const { at, tools: list, inConversation } of offered) {
    for (const [index, value] of list.entries()) {
      const decoded = decodeTool(value, `${at}.${index}`);
      for (const tool of decoded.tools) {
        const mayRepeat = tool.grouped === undefined && inConversation !== true;
        if (!mayRepeat && names.has(tool.name)) continue;
        names.add(tool.name);
        tools.push(inConversation === true ? { ...tool, inConversation } : tool);
      }
      if (decoded.server !== undefined) serverTools.push(decoded.server);
    }
  }
  return {
    tools: tools.length > 0 ? tools : undefined,
    serverTools: serverTools.length > 0 ? serverTools : undefined,
  };
}

const unifiedTools: Partial<Record<ServerTool["kind"], Wire>> = {
  "web-search": { type: "web_search" },
  "code-execution": { type: "code_interpreter", container: { type: "auto" } },
};

/**
 * Encodes a tool. Tools are strict by default in this API, so `strict:
 * false` is sent explicitly when the caller set nothing.
 */
function encodeTool({ name, description, schema, strict, freeform, extra }: Tool): Wire {
  const own = ownFields("openai-responses", freeform);
  if (own !== undefined) return own;
  const parameters = schema ?? { type: "object", properties: {} };
  const wire = compact<Wire>({ type: "function", name, description, parameters, strict: strict ?? false });
  return addOwnFields("openai-responses", wire, extra);
}

const searchOptions = new Set(["allowedDomains", "location", "contextSize"] as const);
const noOptions = new Set<never>();

function encodeSearch(tool: ServerTool, dropped: Set<string>): Wire {
  const carries = tool.kind === "web-search" ? searchOptions : noOptions;
  const { allowedDomains, location, contextSize } = carriedOptions(tool, carries, dropped);
  return compact<Wire>({
    filters: allowedDomains === undefined ? undefined : { allowed_domains: allowedDomains },
    user_location: approximate(location),
    search_context_size: contextSize,
  });
}

export function encodeTools(request: ChatRequest, dropped: Set<string>): Wire[] {
  const offered = (request.tools ?? []).filter((tool) => tool.inConversation !== true);
  const tools = regroupTools(offered.map((tool) => ({ tool, wire: encodeTool(tool) })));
  for (const tool of request.serverTools ?? []) {
    const { kind } = tool;
    const own = ownFields("openai-responses", tool.extra);
    const wire = own ?? unifiedTools[kind];
    if (wire === undefined) dropped.add(kind === "other" ? "server_tools" : kind);
    else tools.push(own ?? { ...wire, ...encodeSearch(tool, dropped) });
  }
  return tools;
}

/** Original name of a tool that has its own form in this API. */
export interface OwnName {
  name: string;
  namespace?: string;
  /** `custom`: the input is plain text. `tool_search`: the client's own search for tools. */
  form: "function" | "custom" | "tool_search";
}

/** Returns the original names by the name that other dialects use; ordinary functions are not included. */
export function ownNames(request: Pick<ChatRequest, "tools">): ReadonlyMap<string, OwnName> {
  const names = new Map<string, OwnName>();
  for (const tool of request.tools ?? []) {
    const place = placeOf(tool);
    const form = formOf(tool);
    if (place !== undefined) names.set(tool.name, { name: place.name, namespace: place.namespace, form });
    else if (form !== "function") names.set(tool.name, { name: tool.name, form });
  }
  return names;
}

function formOf(tool: Tool): OwnName["form"] {
  if (isSearchTool(tool)) return "tool_search";
  return tool.freeform === undefined ? "function" : "custom";
}

export function encodeToolChoice(request: ChatRequest): unknown {
  const { toolChoice: choice } = request;
  if (choice === undefined) return undefined;
  if (choice.type !== "tool") return choice.type;
  const own: OwnName = ownNames(request).get(choice.name) ?? { name: choice.name, form: "function" };
  const { form: type, ...name } = own;
  return type === "tool_search" ? { type } : { type, ...name };
}
