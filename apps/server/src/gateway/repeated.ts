import type { Wire } from "#dialects/dialect.ts";
import { parseRecord } from "#dialects/wire.ts";
import type { Answer } from "#relay/core/call.ts";
import { tapped } from "#relay/core/pieces.ts";

/**
 * What a response object repeats of its request although its provider was never told: the conversation or the earlier
 * response that lives here.
 */
export function repeating(answer: Answer, fields: Wire): Answer {
  switch (answer.kind) {
    case "body":
      return { ...answer, body: inObject(answer.body, fields) };
    case "stream":
      return { ...answer, frames: tapped(answer.frames, { piece: (text) => inEvents(text, fields) }) };
    case "bytes":
      return answer;
  }
}

function inObject(text: string, fields: Wire): string {
  const response = parseRecord(text);
  return response?.["object"] === "response" ? JSON.stringify({ ...response, ...fields }) : text;
}

/** Whole events, of which few have a response in them. */
export function inEvents(text: string, fields: Wire): string {
  if (!text.includes('"response"')) return text;
  return text.replaceAll(/^data:(.*"response".*)$/gm, (line, data: string) => {
    const event = parseRecord(data);
    const response = event?.["response"];
    if (typeof response !== "object" || response === null) return line;
    return `data: ${JSON.stringify({ ...event, response: { ...response, ...fields } })}`;
  });
}

/** The same in the end of an answer, be that a body or its last events. */
export function inEnd(end: string, fields: Wire): string {
  return end.startsWith("{") ? inObject(end, fields) : inEvents(end, fields);
}
