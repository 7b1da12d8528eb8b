import type { Wire } from "#dialects/dialect.ts";
import { jsonSchema } from "#dialects/gemini/function-schema.ts";
import type { ChatRequest, ServerTool, Tool, ToolChoice } from "#dialects/ir.ts";
import { filterAllowedTools } from "#dialects/tools/tool-names.ts";
import { compact, parseAt } from "#dialects/wire.ts";
import {
  type InteractionGenerationConfig,
  type InteractionRequest,
  functionTool,
  serverTools,
  toolType,
} from "./schema.ts";

/**
 * Decodes tools. Those that Google runs get the form of its other API, in which its channels are called. `settings` are
 * fields of a request in that form that belong to a tool.
 */
interface DecodedTool {
  tool: ServerTool;
  settings?: Wire;
}

const google = (kind: ServerTool["kind"], fields: Wire): DecodedTool => ({
  tool: { kind, extra: { dialect: "gemini", fields } },
});

function decodeSearch(types: readonly string[]): DecodedTool {
  if (types.includes("enterprise_web_search")) return google("web-search", { enterpriseWebSearch: {} });
  if (!types.includes("image_search")) return google("web-search", { googleSearch: {} });
  const web = types.includes("web_search") ? { webSearch: {} } : {};
  return google("web-search", { googleSearch: { searchTypes: { ...web, imageSearch: {} } } });
}

function decodeServerTool(wire: Wire, type: keyof typeof serverTools, at: string): DecodedTool {
  switch (type) {
    case "google_search":
      return decodeSearch(parseAt(serverTools[type], wire, at).search_types ?? []);
    case "code_execution":
      return google("code-execution", { codeExecution: {} });
    case "url_context":
      return google("other", { urlContext: {} });
    case "google_maps": {
      const { latitude, longitude, enable_widget: enableWidget } = parseAt(serverTools[type], wire, at);
      const tool = google("other", { googleMaps: compact({ enableWidget: enableWidget ?? undefined }) });
      if (typeof latitude !== "number" || typeof longitude !== "number") return tool;
      return { ...tool, settings: { retrievalConfig: { latLng: { latitude, longitude } } } };
    }
    case "file_search": {
      const search = parseAt(serverTools[type], wire, at);
      const fields = {
        fileSearchStoreNames: search.file_search_store_names ?? undefined,
        metadataFilter: search.metadata_filter ?? undefined,
        topK: search.top_k ?? undefined,
      };
      return google("other", { fileSearch: compact(fields) });
    }
    case "computer_use": {
      const { environment, excluded_predefined_functions: excluded } = parseAt(serverTools[type], wire, at);
      const fields = {
        environment: `ENVIRONMENT_${(environment ?? "browser").toUpperCase()}`,
        excludedPredefinedFunctions: excluded ?? undefined,
      };
      return google("other", { computerUse: compact(fields) });
    }
    case "mcp_server": {
      const { name, url, headers } = parseAt(serverTools[type], wire, at);
      const streamableHttpTransport = compact({ url: url ?? undefined, headers: headers ?? undefined });
      return google("other", { mcpServers: [compact({ name: name ?? undefined, streamableHttpTransport })] });
    }
  }
}

export function decodeTools({
  tools: given,
  generation_config: config,
}: InteractionRequest): Pick<ChatRequest, "tools" | "serverTools"> & { settings: Wire } {
  const tools: Tool[] = [];
  const ofServer: ServerTool[] = [];
  let settings: Wire = {};
  for (const [index, wire] of (given ?? []).entries()) {
    const at = `tools.${index}`;
    const { type } = parseAt(toolType, wire, at);
    if (type === "function") {
      const { name, description, parameters } = parseAt(functionTool, wire, at);
      const schema = parameters ? jsonSchema(parameters) : undefined;
      tools.push(compact<Tool>({ name, description: description ?? undefined, schema }));
    } else {
      const decoded = decodeServerTool(wire, type, at);
      ofServer.push(decoded.tool);
      settings = { ...settings, ...decoded.settings };
    }
  }
  const choice = config?.tool_choice;
  const allowed = typeof choice === "object" ? (choice?.allowed_tools?.tools ?? []) : [];
  return {
    tools: filterAllowedTools(tools.length > 0 ? tools : undefined, allowed.length > 1 ? allowed : []),
    serverTools: ofServer.length > 0 ? ofServer : undefined,
    settings,
  };
}

export function decodeToolChoice(
  config: InteractionGenerationConfig | null | undefined,
): ToolChoice | undefined {
  const choice = config?.tool_choice;
  const allowed = typeof choice === "object" ? choice?.allowed_tools : undefined;
  const mode = typeof choice === "string" ? choice : (allowed?.mode ?? undefined);
  const [name, ...others] = allowed?.tools ?? [];
  switch (mode) {
    case "none":
      return { type: "none" };
    case "any":
      return name !== undefined && others.length === 0 ? { type: "tool", name } : { type: "required" };
    case "auto":
    case "validated":
      return { type: "auto" };
    default:
      return undefined;
  }
}
