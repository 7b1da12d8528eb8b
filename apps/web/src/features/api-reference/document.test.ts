import { describe, expect, it } from "vitest";
import { addressOf, exampleOf, fieldsOf, groupOperations, operationsOf, typeOf } from "./document.ts";

const document = {
  paths: {
    "/api/token/{id}": {
      get: {
        operationId: "getTokenById",
        summary: "Get a token",
        tags: ["Tokens"],
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "integer" } },
          { name: "fields", in: "query", schema: { type: "string" } },
          { name: "api-version", in: "header", schema: { const: "2" } },
        ],
      },
    },
    "/api/token": { post: { summary: "Create a token", tags: ["Tokens"] } },
    "/api/log": { get: { summary: "List calls", tags: ["Logs"] } },
  },
};
const operations = operationsOf(document);
const [getToken] = operations;

describe("an OpenAPI document", () => {
  it("is read into operations without the parameters that the console sends itself", () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /api/token/{id}",
      "POST /api/token",
      "GET /api/log",
    ]);
    expect(getToken?.parameters.map(({ name }) => name)).toEqual(["id", "fields"]);
  });

  it("is searched by words, in any order", () => {
    const found = (search: string) =>
      groupOperations(operations, search).map(([area, { length }]) => `${area} ${length}`);
    expect(found("")).toEqual(["Logs 1", "Tokens 2"]);
    expect(found("token create")).toEqual(["Tokens 1"]);
    expect(found("nothing")).toEqual([]);
  });
});

describe("the address of a request", () => {
  it("escapes values, and leaves out empty ones of the query", () => {
    expect(addressOf(getToken!, { id: "7", fields: "" })).toBe("/api/token/7");
    expect(addressOf(getToken!, { id: "a/b?c", fields: "x y" })).toBe("/api/token/a%2Fb%3Fc?fields=x+y");
  });

  it("needs a value that does not lead to another path", () => {
    for (const id of ["", ".", ".."]) expect(addressOf(getToken!, { id })).toBeNull();
  });
});

describe("a schema", () => {
  const schema = {
    type: "object",
    required: ["name", "limits", "tags"],
    properties: {
      name: { type: "string", description: "Shown in lists." },
      kind: { enum: ["one", "two"] },
      limits: { type: "object", required: ["rpm"], properties: { rpm: { type: "integer", default: 60 } } },
      tags: { type: "array", items: { type: "string" } },
      note: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
  };

  it("has a line for each field, also of objects inside", () => {
    expect(fieldsOf(schema).map(({ path, type, required }) => [path, type, required])).toEqual([
      ["name", "string", true],
      ["kind", '"one" | "two"', false],
      ["limits", "object", true],
      ["limits.rpm", "integer", true],
      ["tags", "string[]", true],
      ["note", "string | null", false],
    ]);
    expect(typeOf({})).toBe("any");
  });

  it("has an example with the required fields", () => {
    expect(exampleOf(schema)).toEqual({ name: "", limits: { rpm: 60 }, tags: [] });
  });

  it("that contains itself ends", () => {
    const endless: { type: string; required: string[]; properties: Record<string, object> } = {
      type: "object",
      required: ["next"],
      properties: {},
    };
    endless.properties["next"] = endless;
    expect(fieldsOf(endless).length).toBeLessThan(10);
    expect(JSON.stringify(exampleOf(endless)).length).toBeLessThan(100);
  });
});
