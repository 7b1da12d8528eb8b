/**
 * Options of web search and code execution that at least two dialects share;
 * each spells them differently. Pure.
 */
import type { Wire } from "#dialects/dialect.ts";
import type { ClientDialectId, ServerTool } from "#dialects/ir.ts";
import { asRecord, compact } from "#dialects/wire.ts";

type Option = "allowedDomains" | "blockedDomains" | "maxUses" | "location" | "contextSize" | "files";

interface ServerToolOptions {
  allowedDomains?: unknown;
  blockedDomains?: unknown;
  maxUses?: unknown;
  /** City, region, country and time zone. */
  location?: Wire;
  contextSize?: unknown;
  files?: unknown;
}

const forms: Record<ClientDialectId, Readonly<Record<string, Option>>> = {
  anthropic: {
    "tools.allowed_domains": "allowedDomains",
    "tools.blocked_domains": "blockedDomains",
    "tools.max_uses": "maxUses",
    "tools.user_location": "location",
  },
  "openai-responses": {
    "tools.filters.allowed_domains": "allowedDomains",
    "tools.filters.blocked_domains": "blockedDomains",
    "tools.filters.excluded_domains": "blockedDomains",
    "tools.user_location": "location",
    "tools.search_context_size": "contextSize",
    "tools.container.file_ids": "files",
  },
  "openai-chat": {
    "web_search_options.user_location": "location",
    "web_search_options.search_context_size": "contextSize",
  },
  gemini: {
    "tools.googleSearch.excludeDomains": "blockedDomains",
    "tools.googleSearch.exclude_domains": "blockedDomains",
  },
  // Their tools are decoded to those of Gemini.
  interactions: {},
};

/** Objects whose members are separate options. */
const nested = new Set(["tools.filters", "tools.container", "web_search_options"]);
/** Fields that identify the tool. */
const kinds = new Set(["tools.type", "tools.name", "tools.cache_control", "tools.container.type"]);

function isSet(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  return !Array.isArray(value) || value.length > 0;
}

/** Returns the fields of a tool by the path in the caller's request. */
function fieldsOf({ extra }: ServerTool): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const walk = (fields: Wire, path: string) => {
    for (const [key, value] of Object.entries(fields)) {
      const name = path === "" ? key : `${path}.${key}`;
      const inner = asRecord(value);
      const isTool = extra.dialect === "gemini" && path === "tools";
      if (inner !== undefined && (nested.has(name) || isTool)) walk(inner, name);
      else if (isSet(value) && !kinds.has(name)) found.set(name, value);
    }
  };
  walk(extra.fields, "web_search_options" in extra.fields ? "" : "tools");
  return found;
}

/** Returns a location without the wrapper that one dialect puts around it. */
function placeOf(value: unknown): Wire | undefined {
  const wire = asRecord(value);
  const { type: _type, ...place } = asRecord(wire?.["approximate"]) ?? wire ?? {};
  const output = Object.fromEntries(Object.entries(place).filter(([, each]) => isSet(each)));
  return Object.keys(output).length === 0 ? undefined : output;
}

/**
 * Returns the options of another dialect's tool that this one supports.
 * The path of each other option is added to `dropped`.
 */
export function carriedOptions(
  tool: ServerTool,
  carries: ReadonlySet<Option>,
  dropped: Set<string>,
): ServerToolOptions {
  const options: ServerToolOptions = {};
  for (const [path, value] of fieldsOf(tool)) {
    const option = forms[tool.extra.dialect][path];
    if (option === undefined || !carries.has(option)) dropped.add(path);
    else if (option !== "location") options[option] = value;
    else {
      const place = placeOf(value);
      if (place !== undefined) options.location = place;
    }
  }
  return options;
}

export function approximate(location: Wire | undefined): Wire | undefined {
  return location && compact<Wire>({ type: "approximate", ...location });
}
