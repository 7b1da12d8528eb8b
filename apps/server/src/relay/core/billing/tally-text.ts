/** Counts the characters of texts by script, where no skimmer of a dialect does. Pure. */
import type { CharacterCount } from "#dialects/dialect.ts";
import type { ChatEvent, ChatResponse, Part } from "#dialects/ir.ts";

/** Counts characters by script. The dialects' skimmers use the same split. */
export function addTo(tally: CharacterCount, text: string): void {
  let wide = 0;
  let spaces = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x300) wide += 1;
    else if (code <= 0x20) spaces += 1;
  }
  tally.wide += wide;
  if (spaces > 0) tally.spaces = (tally.spaces ?? 0) + spaces;
  tally.narrow += text.length - wide;
}

export function tallyEvent(tally: CharacterCount, event: ChatEvent): void {
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

export function tallyResponse(response: ChatResponse): CharacterCount {
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
