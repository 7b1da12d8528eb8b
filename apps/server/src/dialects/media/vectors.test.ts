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
  it("have the encoding that the client requested, and nothing else changes", async () => {
    const vector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(vector, { minLength: 1, maxLength: 4 }), async (vectors) => {
        const floats = body(vectors.map((each) => each.map((value) => value + 0)));
        const coded = await inForm(floats, "base64");
        expect(
          JSON.parse(coded).data.every((each: { embedding: unknown }) => typeof each.embedding === "string"),
        ).toBe(true);
        expect(JSON.parse(await inForm(coded, "float"))).toEqual(JSON.parse(floats));
        expect(await inForm(coded, "base64")).toBe(coded);
        expect(await inForm(floats, "float")).toBe(floats);
        expect(await vectorsIn(coded)).toEqual(await vectorsIn(floats));
      }),
    );
  });

  it("are returned in the order of the inputs, in whatever order the provider sends them", async () => {
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ];
    expect(await vectorsIn(JSON.stringify({ data }))).toEqual(["[1]", "[2]"]);
  });

  it("are not read from another response", async () => {
    for (const text of ["", "[]", "{}", '{"data":[{"embedding":{}}]}']) {
      expect(await inForm(text, "base64")).toBe(text);
      expect(await vectorsIn(text)).toBeUndefined();
    }
  });
});
