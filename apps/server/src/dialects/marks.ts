import type { ChatRequest, Part } from "./ir.ts";

interface Marks {
  cache: boolean;
  errors: boolean;
  /** Speakers have names. */
  names: boolean;
  /** Pictures say how closely they are to be looked at. */
  details: boolean;
}

/** Marks on parts that not every wire has a word for, by the name a caller would know. Pure. */
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

/** Files that were given to one provider are not at another, and their ids say whose they are. */
export function isFileOf(id: string, provider: "openai" | "anthropic" | "google"): boolean {
  if (isGoogleFile(id)) return provider === "google";
  if (id.startsWith("file-")) return provider === "openai";
  return id.startsWith("file_") ? provider === "anthropic" : true;
}

/** Files that were given to Google are named by an address that only Google can read. */
export function isGoogleFile(address: string): boolean {
  return /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/i.test(address);
}
