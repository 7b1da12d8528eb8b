import type { ChatRequest, Part } from "#dialects/ir.ts";

interface Attributes {
  cache: boolean;
  errors: boolean;
  /** Messages have a `name`. */
  names: boolean;
  /** Images have a detail level. */
  details: boolean;
  /** Tools require arguments that match their schema. */
  strict: boolean;
}

/** Names under which attributes are reported that an upstream does not have. */
const reported: Readonly<Record<keyof Attributes, string>> = {
  cache: "cache_control",
  errors: "is_error",
  names: "messages.name",
  details: "detail",
  strict: "strict",
};

/** Returns those of the attributes that the request has, by the name a caller knows. Pure. */
export function listUnsupportedAttributes(
  request: ChatRequest,
  missing: ReadonlyArray<keyof Attributes>,
): string[] {
  const attributes = attributesIn(request);
  return missing.filter((name) => attributes[name]).map((name) => reported[name]);
}

function attributesIn(request: ChatRequest): Attributes {
  const found = {
    cache: request.tools?.some((tool) => tool.cache !== undefined) === true,
    errors: false,
    names: request.messages.some((message) => message.name !== undefined),
    details: false,
    strict: request.tools?.some((tool) => tool.strict === true) === true,
  };
  const visit = (part: Part) => {
    if ("cache" in part && part.cache !== undefined) found.cache = true;
    if (part.type === "image" && part.detail !== undefined && part.detail !== "auto") found.details = true;
    if (part.type !== "tool-result") return;
    if (part.isError === true) found.errors = true;
    part.parts.forEach(visit);
  };
  for (const message of request.messages) message.parts.forEach(visit);
  return found;
}
