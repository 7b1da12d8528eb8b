/** Word vectors: texts that share words are close to each other, equal texts have equal vectors. */
import { type Json, asList, asNumber, asObject, asText } from "#answer/json.ts";
import { piecesOf } from "#answer/pieces.ts";
import { BadQuestion } from "#answer/question.ts";

const DIMENSIONS = 256;
const MOST_DIMENSIONS = 4096;

function hash(word: string): number {
  let sum = 2_166_136_261;
  for (let index = 0; index < word.length; index += 1) {
    sum = Math.imul(sum ^ word.charCodeAt(index), 16_777_619);
  }
  return sum >>> 0;
}

function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const piece of piecesOf(text.toLowerCase())) {
    const place = hash(piece.trim());
    const at = place % dimensions;
    vector[at] = (vector[at] ?? 0) + (place & 65_536 ? 1 : -1);
  }
  // Never the null vector, which has no direction.
  vector[0] = (vector[0] ?? 0) + 0.01;
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function sizeOf(value: unknown): number {
  const wanted = asNumber(value) ?? DIMENSIONS;
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > MOST_DIMENSIONS) {
    throw new BadQuestion(`'dimensions' must be a whole number from 1 to ${MOST_DIMENSIONS}.`, "dimensions");
  }
  return wanted;
}

/** Reads one text, several texts, or texts as token numbers. */
function inputsOf(input: unknown): Array<{ text: string; tokens: number }> {
  const list = typeof input === "string" ? [input] : asList(input);
  const inputs = typeof list[0] === "number" ? [list] : list;
  if (inputs.length === 0) throw new BadQuestion("'input' must be a text or a list of texts.", "input");
  return inputs.map((one) => {
    if (Array.isArray(one)) return { text: one.join(" "), tokens: one.length };
    return { text: asText(one), tokens: Math.max(1, Math.ceil(Buffer.byteLength(asText(one)) / 4)) };
  });
}

export function openaiEmbeddings(body: Json): Json {
  const inputs = inputsOf(body["input"]);
  const dimensions = sizeOf(body["dimensions"]);
  const base64 = body["encoding_format"] === "base64";
  const tokens = inputs.reduce((sum, input) => sum + input.tokens, 0);
  return {
    object: "list",
    data: inputs.map(({ text }, index) => {
      const vector = vectorOf(text, dimensions);
      const bytes = () => Buffer.from(Float32Array.from(vector).buffer).toString("base64");
      return { object: "embedding", index, embedding: base64 ? bytes() : vector };
    }),
    model: asText(body["model"]),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

export function geminiEmbedding(body: Json): Json {
  return { embedding: geminiVector(body) };
}

export function geminiEmbeddings(body: Json): Json {
  return { embeddings: asList(body["requests"]).map((one) => geminiVector(asObject(one))) };
}

function geminiVector(body: Json): Json {
  const parts = asList(asObject(body["content"])["parts"]);
  if (parts.length === 0) throw new BadQuestion("content is not specified", "content");
  const text = parts.map((part) => asText(asObject(part)["text"])).join("\n");
  return { values: vectorOf(text, sizeOf(body["outputDimensionality"] ?? body["output_dimensionality"])) };
}
