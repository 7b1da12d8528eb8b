import { describe, expect, it } from "vitest";
import type { z } from "zod";
import * as anthropic from "./anthropic/schema.ts";
import * as gemini from "./gemini/schema.ts";
import * as interactions from "./interactions/schema.ts";
import * as chat from "./openai-chat/schema.ts";
import { group } from "./openai-responses/grouped.ts";
import * as responses from "./openai-responses/schema.ts";

/** The parts of a schema that may contain others. */
interface Definition {
  type: string;
  element?: z.ZodType;
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  valueType?: z.ZodType;
  options?: readonly z.ZodType[];
}

/** Returns the paths of lists that are read to their end, whatever is wrong with their items. */
function listsRead(schema: z.ZodType, at: string): string[] {
  const definition = schema.def as Definition;
  const { type, element, innerType, in: input, out, valueType, options = [] } = definition;
  const isRead = type === "array" && element?.def.type !== "unknown";
  const fields = "shape" in schema ? Object.entries(schema.shape as Record<string, z.ZodType>) : [];
  const inner = [element, innerType, input, out, valueType, ...options].filter((each) => each !== undefined);
  return [
    ...(isRead ? [at] : []),
    ...fields.flatMap(([name, each]) => listsRead(each, `${at}.${name}`)),
    ...inner.flatMap((each) => listsRead(each, at)),
  ];
}

const requests: Record<string, z.ZodType> = {
  messagesRequest: anthropic.messagesRequest,
  chatRequest: chat.chatRequest,
  responsesRequest: responses.responsesRequest,
  group,
  geminiRequest: gemini.geminiRequest,
  newCachedContent: gemini.newCachedContent,
  embedOne: gemini.embedOne,
  embedBatch: gemini.embedBatch,
  interactionRequest: interactions.interactionRequest,
  turn: interactions.turn,
};
const byType = {
  ...anthropic.requestBlocks,
  ...chat.chatParts,
  ...chat.chatMessages,
  ...responses.contentParts,
  ...responses.items,
  ...interactions.contents,
  ...interactions.steps,
  ...interactions.serverTools,
  ...interactions.formats,
};

// The library's own list has an issue for every wrong item: 500,000 of them hold up all calls for seconds.
describe("the lists in a request", () => {
  it.each(Object.entries({ ...byType, ...requests }))(
    "of %s are read until the first fault",
    (name, schema) => {
      expect(listsRead(schema, name)).toEqual([]);
    },
  );
});
