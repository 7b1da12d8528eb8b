import type { Wire } from "./dialect.ts";
import type { DialectId, ServerTool } from "./ir.ts";
import { asRecord, compact } from "./wire.ts";

/** What a caller wants of a search or of running code, as far as two dialects have it; each spells it in its own way. Pure. */

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

const forms: Record<DialectId, Readonly<Record<string, Option>>> = {
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
  gemini: { "tools.googleSearch.excludeDomains": "blockedDomains" },
};

/** Objects whose members are options of their own. */
const nested = new Set(["tools.filters", "tools.container", "web_search_options"]);
/** They say which tool it is. */
const kinds = new Set(["tools.type", "tools.name", "tools.cache_control", "tools.container.type"]);

function isSet(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  return !Array.isArray(value) || value.length > 0;
}

/** The fields of a tool by path, as their caller would find them. */
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

/** A place in the world, without the form that one dialect puts around it. */
function placeOf(value: unknown): Wire | undefined {
  const wire = asRecord(value);
  const { type: _type, ...place } = asRecord(wire?.["approximate"]) ?? wire ?? {};
  const output = Object.fromEntries(Object.entries(place).filter(([, each]) => isSet(each)));
  return Object.keys(output).length === 0 ? undefined : output;
}

/**
 * The options of a tool of another dialect that this one can carry. All that it cannot is named in `dropped` with its path.
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
