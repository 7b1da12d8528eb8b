import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { claudeSchemas } from "./claude.ts";
import { withoutReferences } from "./gemini.ts";
import { functionSchemas } from "./openai.ts";
import { objectRoot } from "./root.ts";

const text = { type: "string" };
const object = (properties: Wire, required: string[] = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});

describe("the root of a tool's schema", () => {
  it("stays the same object when it is plain", () => {
    const schema = object({ a: text });
    expect(objectRoot(schema)).toBe(schema);
  });

  it.each(["anyOf", "oneOf"])("becomes one object from %s, with what all alternatives require", (union) => {
    const schema = { [union]: [object({ id: text, a: text }), object({ id: text, b: text })] };
    expect(objectRoot(schema)).toEqual({
      type: "object",
      properties: { id: text, a: text, b: text },
      required: ["id"],
      description: "Required: id, a | id, b",
    });
  });

  it("becomes one object from allOf, from references, and from both inside each other", () => {
    const $defs = { A: object({ a: text }), B: { anyOf: [{ $ref: "#/$defs/A" }, object({ b: text })] } };
    const all = objectRoot({ $defs, allOf: [{ $ref: "#/$defs/A" }, object({ c: text })] });
    expect(all).toMatchObject({ type: "object", properties: { a: text, c: text }, required: ["a", "c"] });
    const both = objectRoot({ $defs, $ref: "#/$defs/B" });
    expect(both).toMatchObject({ type: "object", properties: { a: text, b: text } });
    expect(both).not.toHaveProperty("$ref");
  });

  it("accepts both forms of a property that differs between alternatives", () => {
    const number = { type: "number" };
    const schema = objectRoot({ anyOf: [object({ a: text }), object({ a: number })] });
    expect(schema["properties"]).toEqual({ a: { anyOf: [text, number] } });
  });

  it("becomes an object when it refers to itself, is nullable, or has no type", () => {
    expect(objectRoot({ $ref: "#" })).toMatchObject({ type: "object", properties: {} });
    expect(objectRoot({ type: ["object", "null"], properties: { a: text } })).toMatchObject({
      type: "object",
      properties: { a: text },
    });
    expect(objectRoot({})).toMatchObject({ type: "object" });
  });

  it("is made plain in functions of Chat, of Responses and in groups", () => {
    const parameters = { anyOf: [object({ a: text })] };
    const plain = { type: "object", properties: { a: text } };
    const body = {
      tools: [
        { type: "function", function: { name: "f", parameters } },
        { type: "function", name: "f", parameters },
        { type: "namespace", tools: [{ type: "function", name: "f", parameters }] },
      ],
    };
    expect(functionSchemas(body)["tools"]).toMatchObject([
      { function: { parameters: plain } },
      { parameters: plain },
      { tools: [{ parameters: plain }] },
    ]);
  });
});

describe("a schema for Claude", () => {
  const limited = {
    type: "object",
    properties: {
      score: { type: "integer", minimum: 1, maximum: 10, description: "The score." },
      minimum: text,
      list: { type: "array", items: { type: "string", maxLength: 3 }, minItems: 1, maxItems: 5 },
      open: { type: "object", additionalProperties: true },
      kind: { oneOf: [text, { type: "null" }], default: { maximum: 1 } },
    },
  };

  it("has no limits of values and no open objects, at any depth", () => {
    const { output_config: config } = claudeSchemas({ output_config: { format: { schema: limited } } });
    const { schema } = (config as Wire)["format"] as Wire;
    expect(schema).toEqual({
      type: "object",
      additionalProperties: false,
      properties: {
        score: { type: "integer", description: "The score.\n\n{minimum: 1, maximum: 10}" },
        minimum: text,
        list: {
          type: "array",
          items: { type: "string", description: "{maxLength: 3}" },
          minItems: 1,
          description: "{maxItems: 5}",
        },
        open: { type: "object", additionalProperties: false },
        kind: { anyOf: [text, { type: "null" }], default: { maximum: 1 } },
      },
    });
  });

  it("is reduced in strict tools, and only made plain in others", () => {
    const tools = [
      { name: "a", strict: true, input_schema: limited },
      { name: "b", input_schema: limited },
    ];
    const [strict, loose] = claudeSchemas({ tools })["tools"] as Wire[];
    expect(JSON.stringify(strict)).not.toContain('"maxLength":');
    expect(loose).toBe(tools[1]);
  });

  it("leaves a body without deviations the same object", () => {
    const body = { tools: [{ name: "a", input_schema: object({ a: text }) }], messages: [] };
    expect(claudeSchemas(body)).toBe(body);
  });
});

describe("a body for Gemini", () => {
  const schema = {
    $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" }, name: text } } },
    type: "object",
    properties: { a: { $ref: "#/$defs/Node", description: "The first." } },
  };
  const plain = {
    type: "object",
    properties: {
      a: { type: "object", properties: { next: { type: "object" }, name: text }, description: "The first." },
    },
  };

  it.each(["parameters", "parametersJsonSchema", "parameters_json_schema"])(
    "has no references in %s of a tool",
    (field) => {
      const body = withoutReferences({ tools: [{ functionDeclarations: [{ name: "f", [field]: schema }] }] });
      expect(body["tools"]).toEqual([{ functionDeclarations: [{ name: "f", [field]: plain }] }]);
    },
  );

  it.each(["responseSchema", "responseJsonSchema", "response_json_schema"])(
    "has no references in %s",
    (field) => {
      const body = withoutReferences({ generationConfig: { [field]: schema } });
      expect(body).toEqual({ generationConfig: { [field]: plain } });
    },
  );

  it.each(["parameters", "parametersJsonSchema"])("has no union at the root of %s", (field) => {
    const schemas = {
      $defs: { A: object({ a: text }) },
      anyOf: [{ $ref: "#/$defs/A" }, object({ b: text })],
    };
    const body = withoutReferences({ tools: [{ functionDeclarations: [{ name: "f", [field]: schemas }] }] });
    expect(body).toMatchObject({
      tools: [{ functionDeclarations: [{ [field]: { type: "object", properties: { a: text, b: text } } }] }],
    });
    const own = {
      tools: [{ functionDeclarations: [{ name: "f", [field]: { type: "OBJECT", properties: {} } }] }],
    };
    expect(withoutReferences(own)).toBe(own);
  });

  it.each(["functionResponse", "function_response"])("sends a %s with references as text", (field) => {
    const part = (response: unknown, parts?: unknown) => ({
      contents: [{ parts: [{ [field]: { name: "f", response, parts } }] }],
    });
    const inner = { list: [{ $ref: "#/x" }] };
    expect(withoutReferences(part(inner))).toEqual(part({ result: JSON.stringify(inner) }));
    const attached = part({ $ref: "a.png" }, [{ inlineData: { displayName: "a.png" } }]);
    expect(withoutReferences(attached)).toBe(attached);
  });

  it("stays small when a schema refers to itself exponentially often", () => {
    const $defs: Wire = {};
    for (let level = 0; level < 60; level += 1) {
      const next = { $ref: `#/$defs/L${level + 1}` };
      $defs[`L${level}`] = { type: "object", properties: { a: next, b: next } };
    }
    const body = withoutReferences({
      generationConfig: { responseJsonSchema: { $defs, $ref: "#/$defs/L0" } },
    });
    expect(JSON.stringify(body).length).toBeLessThan(2_000_000);
  });
});
