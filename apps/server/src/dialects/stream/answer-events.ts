import type { ChatEvent, ChatResponse, Choice, Part } from "#dialects/ir.ts";
import { compact } from "#dialects/wire.ts";

/** Encodes a complete response as a stream, for providers that ignore the request for a stream. */
export function eventsOf({ id, model, created, choices, usage, serviceTier }: ChatResponse): ChatEvent[] {
  return [
    {
      type: "start",
      id,
      model,
      ...(created !== undefined && { created }),
      ...(usage !== undefined && { usage: { ...usage, output: 0 } }),
    },
    ...choices.flatMap(choiceEvents),
    {
      type: "finish",
      ...(usage !== undefined && { usage }),
      ...(serviceTier !== undefined && { serviceTier }),
    },
  ];
}

function choiceEvents({ index: choice, parts, finish, finishRaw: raw, logprobs }: Choice): ChatEvent[] {
  const events = parts.flatMap((part, position) => partEvents(part, { choice, part: position }));
  const spoken = events.find((event) => event.type === "text");
  if (spoken !== undefined && logprobs !== undefined) spoken.logprobs = logprobs;
  return [...events, { type: "stop", choice, reason: finish, ...(raw !== undefined && { raw }) }];
}

function partEvents(output: Part, place: { choice: number; part: number }): ChatEvent[] {
  switch (output.type) {
    case "text": {
      const { text, citations = [] } = output;
      if (text === "") return [];
      const cited = citations.map<ChatEvent>((citation) => ({ type: "citation", ...place, citation }));
      return [{ type: "text", ...place, text }, ...cited];
    }
    case "refusal":
      return [{ type: "refusal", ...place, text: output.text }];
    case "reasoning":
      return thoughtEvents(output, place);
    case "tool-call": {
      const { id, name, input, signature, origin } = output;
      return [
        compact<ChatEvent>({ type: "tool-call", ...place, id, name, signature, origin }),
        { type: "tool-input", ...place, text: input },
      ];
    }
    case "image":
    case "audio":
    case "file":
      return [{ type: "media", ...place, media: output }];
    case "foreign":
      return [{ type: "foreign", ...place, extra: output.extra }];
    case "tool-result":
      return [];
  }
}

function thoughtEvents(
  { text, signature, encrypted, id, origin }: Extract<Part, { type: "reasoning" }>,
  place: { choice: number; part: number },
): ChatEvent[] {
  const events = text === "" ? [] : [compact<ChatEvent>({ type: "reasoning", ...place, text, id })];
  if (signature === undefined && encrypted === undefined) return events;
  return [
    ...events,
    compact<ChatEvent>({ type: "reasoning-proof", ...place, signature, encrypted, id, origin }),
  ];
}
