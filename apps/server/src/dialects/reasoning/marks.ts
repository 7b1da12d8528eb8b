import type { ChatRequest, Part } from "#dialects/ir.ts";

interface Marks {
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
const reported: Readonly<Record<keyof Marks, string>> = {
  cache: "cache_control",
  errors: "is_error",
  names: "messages.name",
  details: "detail",
  strict: "strict",
};

/** Returns those of the attributes that the request has, by the name a caller knows. Pure. */
export function listUnsupportedMarks(request: ChatRequest, missing: ReadonlyArray<keyof Marks>): string[] {
  const marks = marksIn(request);
  return missing.filter((mark) => marks[mark]).map((mark) => reported[mark]);
}

function marksIn(request: ChatRequest): Marks {
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

/**
 * Returns whether the file belongs to the provider. Files uploaded to one provider do not exist at another;
 * their ids identify the owner.
 */
export function isFileOf(id: string, provider: "openai" | "anthropic" | "google"): boolean {
  if (isGoogleFile(id)) return provider === "google";
  if (id.startsWith("file-")) return provider === "openai";
  return id.startsWith("file_") ? provider === "anthropic" : true;
}

const googleFile =
  /^(?:gs:|https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/(?:(?:www|m)\.)?youtube\.com\/|https:\/\/youtu\.be\/)/i;

/** Returns whether only Google can read this address: files uploaded there, and videos on YouTube. */
export function isGoogleFile(address: string): boolean {
  return googleFile.test(address);
}
