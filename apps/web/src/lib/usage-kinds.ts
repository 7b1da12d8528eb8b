/** Names of what a price may set apart from plain input and output, for people. */
import { phrase } from "./i18n.ts";

const kindNames: Record<string, string> = {
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
  "tool:x-search": phrase("X search"),
  "tool:file-search": phrase("File search"),
  "tool:code-execution": phrase("Code execution"),
};

/** Everything that can be priced by name, in the order people read it. */
export const usageKinds = Object.keys(kindNames);

/** English, to be translated where it is shown; an unknown kind keeps its own name. */
export function nameOfKind(kind: string): string {
  return kindNames[kind] ?? kind.replace(/^(tool|tier):/, "");
}

const mainKinds: Record<string, string> = {
  input: phrase("Input"),
  output: phrase("Output"),
  calls: phrase("Calls"),
};

/** The same for a line of a bill, which may be plain input or output, too. */
export function nameOfBillLine(kind: string): string {
  return mainKinds[kind] ?? nameOfKind(kind);
}

/** Priced in dollars per call instead of as a multiple of the input or output price. */
export function isTool(kind: string): boolean {
  return kind.startsWith("tool:");
}

/** A multiple of the input and of the output price: a provider's service tier. */
export function isTier(kind: string): boolean {
  return kind.startsWith("tier:");
}

/** A multiple of the output price; the others are multiples of the input price. */
export function isOutputKind(kind: string): boolean {
  return kind.startsWith("output_") || kind === "reasoning_tokens";
}
