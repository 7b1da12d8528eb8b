import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { DialectId } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";
import { parseExact, roundSettings } from "./parse-json.ts";

const big = "1234567890123456789";

describe("exact JSON", () => {
  it.each([
    big,
    `-${big}`,
    "18446744073709551615",
    "0.12345678901234567890",
    "1e400",
    "100000000000000000001.5",
  ])("writes %s as it came", (number) => {
    const text = `{"a":[${number},{"b":${number}}],"c":"${number}"}`;
    expect(JSON.stringify(parseExact(text))).toBe(text);
  });

  it.each(["1", "-0.5", "1.0", "0.30000000000000004", "9007199254740991", "1e21"])(
    "reads %s as a number",
    (number) => {
      expect(parseExact(`[ ${number} ]`)).toEqual([Number(number)]);
    },
  );

  it("is no object for readers of objects", () => {
    expect(asRecord(parseExact(big))).toBeUndefined();
  });

  it("rounds settings at the root, except for seeds", () => {
    const body = parseExact(`{"top_k":${big},"seed":${big},"metadata":{"id":${big}}}`) as Record<
      string,
      unknown
    >;
    roundSettings(body);
    expect(JSON.stringify(body)).toBe(`{"top_k":${Number(big)},"seed":${big},"metadata":{"id":${big}}}`);
  });
});

/** A history with a call, and a schema, that contain a large integer. */
const requests: Record<DialectId, string> = {
  "openai-chat": `{"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"id\\":${big}}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"id":{"type":"integer","enum":[${big}]}}}}}],"seed":${big}}`,
  "openai-responses": `{"input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"c","name":"f","arguments":"{\\"id\\":${big}}"},{"type":"function_call_output","call_id":"c","output":"r"}],"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{"id":{"type":"integer","enum":[${big}]}}}}]}`,
  anthropic: `{"max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"id":${big}}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"id":{"type":"integer","enum":[${big}]}}}}]}`,
  gemini: `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":{"id":${big}}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{"id":${big}}}}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"id":{"type":"INTEGER","enum":[${big}]}}}}]}],"generationConfig":{"seed":"${big}"}}`,
};

/** A response with a call. */
const answers: Record<DialectId, string> = {
  "openai-chat": `{"id":"1","choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{"id":${big}}}}]}}]}`,
  "openai-responses": `{"id":"1","status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{\\"id\\":${big}}"}]}`,
  anthropic: `{"id":"1","stop_reason":"tool_use","content":[{"type":"tool_use","id":"c","name":"f","input":{"id":${big}}}]}`,
  gemini: `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"functionCall":{"name":"f","args":{"id":${big}}}}]}}]}`,
};

const all = Object.keys(dialects) as DialectId[];

describe("a large integer", () => {
  for (const client of all)
    for (const upstream of all) {
      it(`is the same in a request from ${client} to ${upstream}`, () => {
        const request = dialects[client].decodeRequest(parseExact(requests[client]), { model: "m" });
        const text = JSON.stringify(dialects[upstream].encodeRequest(request).body);
        const times = text.split(big).length - 1;
        expect(times).toBeGreaterThanOrEqual(2);
        expect(text).not.toMatch(/1234567890123456[^7]/);
        if (request.seed !== undefined && (upstream === "openai-chat" || upstream === "gemini"))
          expect(text).toContain(`"seed":${big}`);
      });
      it(`is the same in a response from ${upstream} to ${client}`, () => {
        const request = dialects[client].decodeRequest(parseExact(requests[client]), { model: "m" });
        const answer = dialects[upstream].decodeResponse(parseExact(answers[upstream]));
        const text = JSON.stringify(dialects[client].encodeResponse(answer, request));
        expect(text).toContain(big);
      });
    }
});
