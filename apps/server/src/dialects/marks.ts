import type { ChatRequest, Part } from "./ir.ts";

interface Marks {
  cache: boolean;
  errors: boolean;
  /** Messages have a `name`. */
  names: boolean;
  /** Images have a detail level. */
  details: boolean;
}

/** Returns attributes of parts that not every format has, by the name a caller knows. Pure. */
export function marksIn(request: ChatRequest): Marks {
  const found = {
    cache: request.tools?.some((tool) => tool.cache !== undefined) === true,
    errors: false,
    names: request.messages.some((message) => message.name !== undefined),
    details: false,
  };
  const visit = (part: Part) => {
    if ("cache" in part && part.cache !== undefined) found.cache = true;
    if (part.type === "image" && part.detail !== undefined) found.details = true;
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
