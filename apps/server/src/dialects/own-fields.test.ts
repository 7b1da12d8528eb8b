/** Fields that only one dialect has return to that dialect, and are reported by every other one. */
import { describe, expect, it } from "vitest";
import type { Wire } from "./dialect.ts";
import { dialects } from "./index.ts";
import type { ChatRequest, DialectId } from "./ir.ts";
import { listUnsupportedFields } from "./unsupported-fields.ts";

const ids = Object.keys(dialects) as DialectId[];
const schema = { type: "object", properties: {} };
const png = { mimeType: "image/png", data: "iVBORw0KGgo=" };
const base64 = { type: "base64", media_type: "image/png", data: png.data };
const image = { type: "image", source: base64 };
const cache = { type: "ephemeral" };

/** Requests with own fields in tools, messages, parts, calls and results, and the paths of these fields. */
const requests: Record<DialectId, { body: Wire; paths: string[] }> = {
  "openai-chat": {
    body: {
      model: "m",
      messages: [
        { role: "system", content: "Be brief.", mood: "calm" },
        {
          role: "user",
          content: [{ type: "text", text: "Hi", prompt_cache_breakpoint: { mode: "explicit" } }],
        },
        {
          role: "assistant",
          content: null,
          phase: "commentary",
          tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c", content: "Seen.", took: 7 },
      ],
      tools: [{ type: "function", function: { name: "look", parameters: schema, async: true } }],
    },
    paths: [
      "tools.function.async",
      "messages.mood",
      "messages.content.prompt_cache_breakpoint",
      "messages.phase",
      "messages.took",
    ],
  },
  "openai-responses": {
    body: {
      model: "m",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Hi", prompt_cache_breakpoint: {} }] },
        {
          type: "message",
          role: "assistant",
          phase: "commentary",
          empty: null,
          content: [{ type: "output_text", text: "I look.", annotations: [], mark: 1 }],
        },
        { type: "function_call", call_id: "c", name: "look", arguments: "{}", async: true },
        {
          type: "function_call_output",
          call_id: "c",
          caller: { type: "program", caller_id: "p" },
          output: [{ type: "input_text", text: "Seen.", weight: 2 }],
        },
      ],
      tools: [
        { type: "function", name: "look", parameters: schema, strict: false, defer_loading: true },
        { type: "custom", name: "patch", async: true },
        {
          type: "namespace",
          name: "clock",
          description: "Time",
          tools: [
            { type: "function", name: "sleep", parameters: schema, strict: false, output_schema: schema },
          ],
        },
      ],
    },
    paths: [
      "tools.defer_loading",
      "tools.async",
      "tools.output_schema",
      "tools.description",
      "input.content.prompt_cache_breakpoint",
      "input.phase",
      "input.content.mark",
      "input.async",
      "input.caller",
      "input.output.weight",
    ],
  },
  anthropic: {
    body: {
      model: "m",
      max_tokens: 9,
      messages: [
        {
          role: "user",
          content: [
            { ...image, transformations: { oversized_image: "error" } },
            {
              type: "document",
              source: { type: "text", media_type: "text/plain", data: "Ships." },
              context: "Harbour",
              citations: { enabled: true },
            },
            {
              type: "search_result",
              title: "Boats",
              source: "https://example.com",
              content: [{ type: "text", text: "A boat." }],
              citations: { enabled: true },
            },
          ],
        },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "c", name: "look", input: {}, caller: { type: "code" } }],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "c", content: [{ ...image, transformations: {} }] }],
        },
      ],
      tools: [{ name: "look", input_schema: schema, input_examples: [{}] }],
    },
    paths: [
      "tools.input_examples",
      "messages.content.transformations",
      "messages.content.context",
      "messages.content.citations",
      "messages.content.caller",
      "messages.content.content.transformations",
    ],
  },
  gemini: {
    body: {
      contents: [
        {
          role: "user",
          parts: [
            { text: "Hi", partMetadata: { a: 1 } },
            { inlineData: { ...png, displayName: "boat" }, mediaResolution: {} },
          ],
        },
        { role: "model", parts: [{ functionCall: { id: "c", name: "look", args: {}, willContinue: true } }] },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                id: "c",
                name: "look",
                response: { result: "Seen." },
                scheduling: "SILENT",
              },
            },
          ],
        },
      ],
      systemInstruction: { parts: [{ text: "Be brief.", partMetadata: { b: 2 } }] },
      tools: [
        { functionDeclarations: [{ name: "look", parametersJsonSchema: schema, behavior: "BLOCKING" }] },
      ],
    },
    paths: [
      "tools.functionDeclarations.behavior",
      "systemInstruction.parts.partMetadata",
      "contents.parts.partMetadata",
      "contents.parts.mediaResolution",
      "contents.parts.inlineData.displayName",
      "contents.parts.functionCall.willContinue",
      "contents.parts.functionResponse.scheduling",
    ],
  },
};

/** Returns every field below a value with its value. */
function fieldsBelow(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [`${key}=${JSON.stringify(inner)}`]),
    ...fieldsBelow(inner),
  ]);
}

describe.each(ids)("fields that only %s has", (id) => {
  const { body, paths } = requests[id];
  const request: ChatRequest = dialects[id].decodeRequest(body, { model: "m" });

  it("are kept when the request is written again", () => {
    const sent = fieldsBelow(dialects[id].encodeRequest(request).body);
    for (const path of paths) {
      const name = path.split(".").at(-1) ?? "";
      const given = fieldsBelow(body).filter((field) => field.startsWith(`${name}=`));
      expect(given.length).toBeGreaterThan(0);
      expect(sent).toEqual(expect.arrayContaining(given));
    }
  });

  it("are reported for other dialects", () => {
    for (const to of ids.filter((each) => each !== id)) {
      const client = dialects[id];
      expect(listUnsupportedFields({ client, request, body }, to).toSorted()).toEqual(paths.toSorted());
    }
  });
});

describe("content with a fallback", () => {
  const content = [
    {
      type: "document",
      title: "Log",
      source: { type: "content", content: [{ type: "text", text: "First.", cache_control: cache }, image] },
    },
  ];
  const body = { model: "m", max_tokens: 9, messages: [{ role: "user", content }] };

  it("keeps its images and its cache marks", () => {
    const [message] = dialects.anthropic.decodeRequest(body, {}).messages;
    expect(message?.parts).toMatchObject([
      {
        type: "foreign",
        fallback: [
          { type: "text", text: "Log\n\nFirst.", cache: {} },
          { type: "image", source: { mediaType: "image/png" } },
        ],
      },
    ]);
  });
});

describe("items of Responses that other dialects do not have", () => {
  const input = [
    { role: "user", content: "Hi" },
    { id: "msg_stored_elsewhere" },
    { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", image_url: "u" } },
    { type: "function_call_output", output: "Late." },
  ];
  const request = dialects["openai-responses"].decodeRequest({ model: "m", input }, {});

  it("stay as they are in Responses", () => {
    const { body } = dialects["openai-responses"].encodeRequest(request);
    expect((body["input"] as Wire[]).slice(1)).toEqual([
      { type: "item_reference", ...input[1] },
      ...input.slice(2),
    ]);
  });

  it.each(ids.filter((id) => id !== "openai-responses"))("are reported for %s", (id) => {
    expect(dialects[id].encodeRequest(request).dropped.toSorted()).toEqual([
      "computer_call_output",
      "function_call_output",
      "item_reference",
    ]);
  });
});
