import type { Wire } from "#dialects/dialect.ts";
import { parseRecord } from "#dialects/wire.ts";
import type { Answer } from "#relay/core/call.ts";
import { tapText } from "#relay/core/response/text-stream.ts";

/**
 * Adds the fields that a response object repeats from its request but that the provider did not receive: the
 * conversation or earlier response stored here.
 */
export function addRepeatedFields(answer: Answer, fields: Wire): Answer {
  switch (answer.kind) {
    case "body":
      return { ...answer, body: inObject(answer.body, fields) };
    case "stream":
      return { ...answer, stream: tapText(answer.stream, { piece: (text) => addToEvents(text, fields) }) };
    case "bytes":
      return answer;
  }
}

function inObject(text: string, fields: Wire): string {
  const response = parseRecord(text);
  return response?.["object"] === "response" ? JSON.stringify({ ...response, ...fields }) : text;
}

/** Adds the fields to whole events. Few of them contain a response. */
export function addToEvents(text: string, fields: Wire): string {
  if (!text.includes('"response"')) return text;
  return text.replaceAll(/^data:(.*"response".*)$/gm, (line, data: string) => {
    const event = parseRecord(data);
    const response = event?.["response"];
    if (typeof response !== "object" || response === null) return line;
    return `data: ${JSON.stringify({ ...event, response: { ...response, ...fields } })}`;
  });
}

/** Adds the fields to the end of a response: a body or its last events. */
export function addToEnd(end: string, fields: Wire): string {
  return end.startsWith("{") ? inObject(end, fields) : addToEvents(end, fields);
}
