/** Display names of the usage kinds that have a price besides plain input and output. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { phrase } from "#lib/i18n.ts";

const kindNames = lookupTable<string>({
  cached_tokens: phrase("Cached input"),
  cached_read_tokens: phrase("Cache read"),
  cached_write_tokens: phrase("Cache write, 5 minutes"),
  cached_write_1h_tokens: phrase("Cache write, 1 hour"),
  input_audio_tokens: phrase("Audio input"),
  output_audio_tokens: phrase("Audio output"),
  input_image_tokens: phrase("Image input"),
  output_image_tokens: phrase("Image output"),
  reasoning_tokens: phrase("Reasoning"),
  "tier:flex": phrase("Flex tier"),
  "tier:batch": phrase("Batch tier"),
  "tier:priority": phrase("Priority tier"),
  "tier:fast": phrase("Fast tier"),
  "tier:ultrafast": phrase("Ultrafast tier"),
  "tool:web-search": phrase("Web search"),
  "tool:gateway-search": phrase("Web search by the gateway"),
  "tool:cache-storage": phrase("Storage of cached content"),
  "tool:x-search": phrase("X search"),
  "tool:file-search": phrase("File search"),
  "tool:code-execution": phrase("Code execution"),
});

/** All usage kinds with a price, in display order. */
export const usageKinds = Object.keys(kindNames);

/** Returns the name in English, to be translated when displayed; an unknown kind as it is. */
export function nameOfKind(kind: string): string {
  return kindNames[kind] ?? kind.replace(/^(tool|tier):/, "");
}

const mainKinds = lookupTable<string>({
  input: phrase("Input"),
  output: phrase("Output"),
  calls: phrase("Calls"),
});

/** Returns the same for a line of a bill, which may also be plain input or output. */
export function nameOfBillLine(kind: string): string {
  return mainKinds[kind] ?? nameOfKind(kind);
}

/**
 * Returns whether the kind is priced in dollars per call
 * instead of as a multiple of the input or output price.
 */
export function isTool(kind: string): boolean {
  return kind.startsWith("tool:");
}

/** Returns whether the kind is a multiple of both input and output price: a provider's service tier. */
export function isTier(kind: string): boolean {
  return kind.startsWith("tier:");
}

/**
 * Returns whether the kind is a multiple of the output price; the others are multiples of the input price.
 */
export function isOutputKind(kind: string): boolean {
  return kind.startsWith("output_") || kind === "reasoning_tokens";
}
