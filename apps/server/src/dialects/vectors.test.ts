import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inForm, vectorsIn } from "./vectors.ts";

const body = (embeddings: Array<number[] | string>) =>
  JSON.stringify({
    object: "list",
    model: "m",
    data: embeddings.map((embedding, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: 2, total_tokens: 2 },
  });

describe("vectors", () => {
  it("have the encoding that the client requested, and nothing else changes", () => {
    const vector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 4 }), (vectors) => {
        const floats = body(vectors.map((each) => each.map((value) => value + 0)));
        const coded = inForm(floats, "base64");
        expect(
          JSON.parse(coded).data.every((each: { embedding: unknown }) => typeof each.embedding === "string"),
        ).toBe(true);
        expect(JSON.parse(inForm(coded, "float"))).toEqual(JSON.parse(floats));
        expect(inForm(coded, "base64")).toBe(coded);
        expect(inForm(floats, "float")).toBe(floats);
        expect(vectorsIn(coded)).toEqual(vectorsIn(floats));
      }),
    );
  });

  it("are returned in the order of the inputs, in whatever order the provider sends them", () => {
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ];
    expect(vectorsIn(JSON.stringify({ data }))).toEqual([[1], [2]]);
  });

  it("are not read from another response", () => {
    for (const text of ["", "[]", "{}", '{"data":[{"embedding":{}}]}']) {
      expect(inForm(text, "base64")).toBe(text);
      expect(vectorsIn(text)).toBeUndefined();
    }
  });
});
