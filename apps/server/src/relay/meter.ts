import type { Tally } from "#dialects/dialect.ts";
import type { ChatEvent, ChatResponse, Part, Usage } from "#dialects/ir.ts";
import { tokensOf } from "#domain/billing/estimate.ts";
import { isPossible } from "#domain/billing/pricing.ts";

/** What a call used: the vendor's word where it can be believed, our own count where it is silent. Pure. */
export interface Metered {
  usage: Usage;
  estimated: boolean;
}

/**
 * @param vendor what the vendor reported, if anything
 * @param complete whether the vendor finished; a partial report counts at least what was delivered
 * @param delivered what crossed the wire to the client
 * @param expected the estimate made before the call, for its input
 */
export function meter(
  vendor: Usage | undefined,
  complete: boolean,
  delivered: Tally,
  expected: Usage,
): Metered {
  if (vendor === undefined || !isPossible(vendor))
    return {
      usage: {
        input: expected.input,
        output: tokensOf(delivered),
        ...(expected.imageInput === undefined ? {} : { imageInput: expected.imageInput }),
        ...(expected.audioInput === undefined ? {} : { audioInput: expected.audioInput }),
      },
      estimated: true,
    };
  if (complete) return { usage: vendor, estimated: false };
  const counted = tokensOf(delivered);
  return counted > vendor.output
    ? { usage: { ...vendor, output: counted }, estimated: true }
    : { usage: vendor, estimated: false };
}

/** Counts characters by script; the same split as the dialects' skimmers. */
export function addTo(tally: Tally, text: string): void {
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) >= 0x300) wide += 1;
  tally.wide += wide;
  tally.narrow += text.length - wide;
}

export function tallyEvent(tally: Tally, event: ChatEvent): void {
  switch (event.type) {
    case "text":
    case "refusal":
    case "reasoning":
    case "tool-input":
      addTo(tally, event.text);
      break;
    case "tool-call":
      addTo(tally, event.name);
      break;
    case "start":
    case "reasoning-proof":
    case "citation":
    case "media":
    case "foreign":
    case "stop":
    case "finish":
    case "error":
      break;
  }
}

export function tallyResponse(response: ChatResponse): Tally {
  const tally = { narrow: 0, wide: 0 };
  for (const choice of response.choices) for (const part of choice.parts) addTo(tally, textOf(part));
  return tally;
}

function textOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "refusal":
    case "reasoning":
      return part.text;
    case "tool-call":
      return part.name + part.input;
    case "audio":
      return part.transcript ?? "";
    case "image":
    case "file":
    case "tool-result":
    case "foreign":
      return "";
  }
}
