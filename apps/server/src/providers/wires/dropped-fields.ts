import type { ChatRequest } from "#dialects/ir.ts";
import { listUnsupportedAttributes } from "#dialects/unsupported-attributes.ts";
import { foreignFields, listUnsupportedSettings } from "#dialects/wire.ts";

/** Fields that no wire format of plain prompts has. */
const unsupported = [
  "tools",
  "toolChoice",
  "stop",
  "logprobs",
  "topLogprobs",
  "responseFormat",
  "reasoning",
  "serverTools",
  "serviceTier",
] as const;

/** Returns the fields of a request that a wire format of plain prompts drops; `more` are those that this one also lacks. */
export function droppedFields(request: ChatRequest, more: ReadonlyArray<keyof ChatRequest> = []): string[] {
  return [
    ...listUnsupportedSettings(request, [...unsupported, ...more]),
    ...(request.n !== undefined && request.n > 1 ? ["n"] : []),
    ...listUnsupportedAttributes(request, ["cache", "names", "details"]),
    ...foreignFields(request.extra),
  ];
}
