import { describe, expect, it } from "vitest";
import { GatewayError } from "#errors.ts";
import { dialects } from "./index.ts";
import type { DialectId } from "./ir.ts";

/** Invalid client requests by dialect: each body, and the path of the field that its 400 must name. */
type Case = [body: unknown, path: string];

const hi = { role: "user", content: "Hi" };
const chat = (fields: object) => ({ model: "m", messages: [hi], ...fields });
const saying = (...messages: unknown[]) => ({ model: "m", messages });
const chatPart = (part: unknown) => saying({ role: "user", content: [{ type: "text", text: "a" }, part] });
const answer = (fields: object) => ({ model: "m", input: "Hi", ...fields });
const items = (...input: unknown[]) => ({ model: "m", input });
const ask = (fields: object) => ({ model: "m", max_tokens: 9, messages: [hi], ...fields });
const blocks = (...content: unknown[]) => ask({ messages: [{ role: "user", content }] });
const contents = (fields: object) => ({ contents: [{ role: "user", parts: [{ text: "Hi" }] }], ...fields });
const parts = (...list: unknown[]) => ({ contents: [{ role: "user", parts: list }] });
const config = (generationConfig: object) => contents({ generationConfig });

const cases: Record<DialectId, Case[]> = {
  "openai-chat": [
    [{ messages: [hi] }, "model"],
    [{ model: 7, messages: [hi] }, "model"],
    [{ model: "m" }, "messages"],
    [{ model: "m", messages: "Hi" }, "messages"],
    [saying(), "messages"],
    [saying(hi, "Hi"), "messages.1"],
    [saying({ content: "Hi" }), "messages.0.role"],
    [saying({ role: "robot", content: "Hi" }), "messages.0.role"],
    [saying({ role: "user" }), "messages.0.content"],
    [saying({ role: "user", content: 7 }), "messages.0.content"],
    [chatPart("b"), "messages.0.content"],
    [chatPart({ type: "text" }), "messages.0.content.1.text"],
    [chatPart({ type: "image_url" }), "messages.0.content.1.image_url"],
    [chatPart({ type: "image_url", image_url: {} }), "messages.0.content.1.image_url.url"],
    [chatPart({ type: "image_url", image_url: { url: "" } }), "messages.0.content.1.image_url.url"],
    [
      chatPart({ type: "input_audio", input_audio: { data: "AA==" } }),
      "messages.0.content.1.input_audio.format",
    ],
    [
      chatPart({ type: "input_audio", input_audio: { format: "wav" } }),
      "messages.0.content.1.input_audio.data",
    ],
    [chatPart({ type: "file" }), "messages.0.content.1.file"],
    [chatPart({ type: "file", file: {} }), "messages.0.content.1.file"],
    [saying({ role: "tool", content: "a" }), "messages.0.tool_call_id"],
    [saying({ role: "assistant", tool_calls: {} }), "messages.0.tool_calls"],
    [
      saying({
        role: "assistant",
        tool_calls: [{ type: "function", function: { name: "f", arguments: "{}" } }],
      }),
      "messages.0.tool_calls.0.id",
    ],
    [
      saying({
        role: "assistant",
        tool_calls: [{ id: "c", type: "function", function: { arguments: "{}" } }],
      }),
      "messages.0.tool_calls.0.function.name",
    ],
    [
      saying({
        role: "assistant",
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: 7 } }],
      }),
      "messages.0.tool_calls.0.function.arguments",
    ],
    [chat({ tools: {} }), "tools"],
    [chat({ tools: [{ type: "function" }] }), "tools.0.function"],
    [chat({ tools: [{ type: "function", function: { description: "x" } }] }), "tools.0.function.name"],
    [
      chat({ tools: [{ type: "function", function: { name: "f", parameters: "x" } }] }),
      "tools.0.function.parameters",
    ],
    [chat({ tool_choice: "always" }), "tool_choice"],
    [chat({ tool_choice: { type: "function" } }), "tool_choice.function.name"],
    [chat({ temperature: 3 }), "temperature"],
    [chat({ temperature: "hot" }), "temperature"],
    [chat({ top_p: 1.1 }), "top_p"],
    [chat({ n: 0 }), "n"],
    [chat({ n: 1.5 }), "n"],
    [chat({ max_tokens: -1 }), "max_tokens"],
    [chat({ max_completion_tokens: 0 }), "max_completion_tokens"],
    [chat({ stream: "yes" }), "stream"],
    [chat({ stream_options: true }), "stream_options"],
    [chat({ stop: 7 }), "stop"],
    [chat({ seed: "x" }), "seed"],
    [chat({ presence_penalty: 5 }), "presence_penalty"],
    [chat({ top_logprobs: 21 }), "top_logprobs"],
    [chat({ response_format: "json" }), "response_format"],
    [
      chat({ response_format: { type: "json_schema", json_schema: { schema: "x" } } }),
      "response_format.json_schema.schema",
    ],
    [chat({ reasoning_effort: 3 }), "reasoning_effort"],
    [chat({ parallel_tool_calls: "no" }), "parallel_tool_calls"],
    [chat({ user: 7 }), "user"],
    [
      saying({
        role: "user",
        content: [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "2h" } }],
      }),
      "messages.0.content.0.cache_control.ttl",
    ],
  ],
  "openai-responses": [
    [{ input: "Hi" }, "model"],
    [{ model: "m" }, "input"],
    [{ model: "m", input: 7 }, "input"],
    [items("Hi"), "input"],
    [items({ role: "robot", content: "Hi" }), "input.0.role"],
    [items({ role: "user" }), "input.0.content"],
    [items({ role: "user", content: [{ type: "input_text" }] }), "input.0.content.0.text"],
    [
      items({ role: "user", content: [{ type: "input_audio", input_audio: {} }] }),
      "input.0.content.0.input_audio.data",
    ],
    [items({ type: "function_call", call_id: "c", arguments: "{}" }), "input.0.name"],
    [items({ type: "function_call", name: "f", arguments: "{}" }), "input.0.call_id"],
    [items({ type: "function_call", name: "f", call_id: "c", arguments: 7 }), "input.0.arguments"],
    [items({ type: "custom_tool_call_output", output: "x" }), "input.0.call_id"],
    [items({ type: "function_call_output", call_id: "c" }), "input.0.output"],
    [answer({ instructions: 7 }), "instructions"],
    [answer({ max_output_tokens: 0 }), "max_output_tokens"],
    [answer({ temperature: -1 }), "temperature"],
    [answer({ tools: "x" }), "tools"],
    [answer({ tools: [{ type: 7, name: "f" }] }), "tools.0.type"],
    [answer({ tools: [{ type: "function" }] }), "tools.0.name"],
    [answer({ tools: [{ type: "function", name: "f", parameters: [] }] }), "tools.0.parameters"],
    [answer({ tool_choice: "always" }), "tool_choice"],
    [answer({ tool_choice: { type: "function" } }), "tool_choice.name"],
    [answer({ text: "json" }), "text"],
    [answer({ text: { format: { schema: {} } } }), "text.format.type"],
    [answer({ reasoning: "high" }), "reasoning"],
    [answer({ include: "x" }), "include"],
    [answer({ stream: 1 }), "stream"],
    [answer({ top_logprobs: 99 }), "top_logprobs"],
  ],
  anthropic: [
    [{ max_tokens: 9, messages: [hi] }, "model"],
    [ask({ max_tokens: -1 }), "max_tokens"],
    [ask({ messages: undefined }), "messages"],
    [ask({ messages: [] }), "messages"],
    [ask({ messages: [{ role: "robot", content: "Hi" }] }), "messages.0.role"],
    [ask({ messages: [hi, { role: "assistant" }] }), "messages.1.content"],
    [blocks("Hi"), "messages.0.content"],
    [blocks({ type: "text" }), "messages.0.content.0.text"],
    [blocks({ type: "image" }), "messages.0.content.0.source"],
    [
      blocks({ type: "image", source: { type: "base64", data: "AA==" } }),
      "messages.0.content.0.source.media_type",
    ],
    [blocks({ type: "image", source: { type: "carrier-pigeon" } }), "messages.0.content.0.source.type"],
    [blocks({ type: "document", source: { type: "url" } }), "messages.0.content.0.source.url"],
    [blocks({ type: "tool_result", content: "x" }), "messages.0.content.0.tool_use_id"],
    [blocks({ type: "tool_use", id: "t", name: "f", input: "x" }), "messages.0.content.0.input"],
    [
      blocks({ type: "tool_result", tool_use_id: "t", content: [{ type: "text" }] }),
      "messages.0.content.0.content.0.text",
    ],
    [
      blocks({ type: "text", text: "a", cache_control: { type: "forever" } }),
      "messages.0.content.0.cache_control.type",
    ],
    [ask({ system: 7 }), "system"],
    [ask({ system: [{ text: "a" }] }), "system"],
    [ask({ temperature: 1.5 }), "temperature"],
    [ask({ top_k: -1 }), "top_k"],
    [ask({ stop_sequences: "x" }), "stop_sequences"],
    [ask({ tools: [{ input_schema: {} }] }), "tools.0.name"],
    [ask({ tools: [{ name: "f", input_schema: "x" }] }), "tools.0.input_schema"],
    [ask({ tool_choice: "any" }), "tool_choice"],
    [ask({ tool_choice: { type: "tool" } }), "tool_choice.name"],
    [ask({ tool_choice: { type: "sometimes" } }), "tool_choice.type"],
    [ask({ thinking: { type: "enabled", budget_tokens: "many" } }), "thinking.budget_tokens"],
    [ask({ metadata: { user_id: 7 } }), "metadata.user_id"],
    [ask({ stream: "yes" }), "stream"],
  ],
  gemini: [
    [{}, "contents"],
    [{ contents: [] }, "contents"],
    [{ contents: "Hi" }, "contents"],
    [{ contents: [{ role: "robot", parts: [] }] }, "contents.0.role"],
    [{ contents: [{ role: "user", parts: "Hi" }] }, "contents.0.parts"],
    [parts({ text: 7 }), "contents.0.parts.0.text"],
    [parts({ inlineData: { data: "AA==" } }), "contents.0.parts.0.inlineData.mimeType"],
    [parts({ inline_data: { mime_type: "image/png" } }), "contents.0.parts.0.inlineData.data"],
    [parts({ fileData: {} }), "contents.0.parts.0.fileData.fileUri"],
    [parts({ functionCall: { args: {} } }), "contents.0.parts.0.functionCall.name"],
    [
      parts({ functionResponse: { name: "f", response: "x" } }),
      "contents.0.parts.0.functionResponse.response",
    ],
    [contents({ systemInstruction: { parts: [{ text: 7 }] } }), "systemInstruction.parts.0.text"],
    [contents({ tools: 7 }), "tools"],
    [contents({ tools: [{ functionDeclarations: [{}] }] }), "tools.0.functionDeclarations.0.name"],
    [
      contents({ toolConfig: { functionCallingConfig: { allowedFunctionNames: "f" } } }),
      "toolConfig.functionCallingConfig.allowedFunctionNames",
    ],
    [config({ temperature: 3 }), "generationConfig.temperature"],
    [config({ maxOutputTokens: 0 }), "generationConfig.maxOutputTokens"],
    [config({ candidateCount: 0 }), "generationConfig.candidateCount"],
    [config({ stopSequences: "x" }), "generationConfig.stopSequences"],
    [config({ thinkingConfig: { thinkingBudget: -2 } }), "generationConfig.thinkingConfig.thinkingBudget"],
    [config({ responseJsonSchema: "x" }), "generationConfig.responseJsonSchema"],
    [contents({ generationConfig: 7 }), "generationConfig"],
  ],
};

for (const id of Object.keys(cases) as DialectId[]) {
  describe(`a client of ${id}`, () => {
    const address = id === "gemini" ? { model: "m" } : {};

    it.each(cases[id])("reports what is wrong with %j: %s", (body, path) => {
      let error: unknown;
      try {
        dialects[id].decodeRequest(body, address);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(GatewayError);
      const { status, message, param } = error as GatewayError;
      expect({ status, param }).toEqual({ status: 400, param: path });
      expect(message).toContain(path);
      expect(JSON.stringify(dialects[id].encodeError(error as GatewayError, "req"))).toContain(
        JSON.stringify(message).slice(1, -1),
      );
    });

    it("reports a body that is not an object", () => {
      for (const body of [null, 7, "x", []])
        expect(() => dialects[id].decodeRequest(body, address)).toThrow(GatewayError);
    });
  });
}
