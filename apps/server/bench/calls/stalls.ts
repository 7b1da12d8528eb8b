/** How long a large request blocks all other calls: the work between its last byte and its reservation. */
import { dialects } from "#dialects/index.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { decodeBody } from "#gateway/body/decode-body.ts";
import { readJson } from "#gateway/body/json-body.ts";
import { readings } from "#gateway/body/readings.ts";

const BYTES = 1_000_000;
const RUNS = 40;

const texts = {
  prose: "The quick brown fox jumps over the lazy dog, and nobody minds. ",
  base64: Buffer.from("The quick brown fox jumps over the lazy dog.").toString("base64").repeat(8),
  Chinese: "敏捷的棕色狐狸跳过了懒狗，谁也不介意。",
};

export interface Stall {
  text: string;
  /** CPU milliseconds, including garbage collection: median and maximum of the runs. */
  parse: [number, number];
  decode: [number, number];
  estimate: [number, number];
}

export function measureStalls(): Stall[] {
  return Object.entries(texts).map(([text, piece]) => {
    const content = piece.repeat(Math.ceil(BYTES / Buffer.byteLength(piece)));
    const raw = Buffer.from(JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content }] }));
    const parse = () => readJson(raw, readings["openai-chat"]);
    const json = parse();
    const decode = () => decodeBody(dialects["openai-chat"], json, {});
    const request = decode();
    const estimate = () => estimateUsage(request, { maxOutputTokens: 4_096 });
    return { text, parse: timed(parse), decode: timed(decode), estimate: timed(estimate) };
  });
}

function timed(work: () => unknown): [number, number] {
  const took = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  }).toSorted((one, other) => one - other);
  return [took[RUNS / 2] ?? 0, took.at(-1) ?? 0];
}
