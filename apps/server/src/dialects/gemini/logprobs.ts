/** Log probabilities of tokens. The IR keeps them in the form of chat completions. */
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { asRecord, readAs } from "#dialects/wire.ts";

const token = z.looseObject({ token: z.string().nullish(), logProbability: z.number().nullish() });
const result = z.looseObject({
  chosenCandidates: z.array(token).nullish(),
  topCandidates: z.array(z.looseObject({ candidates: z.array(token).nullish() })).nullish(),
});

const tokenChance = z.looseObject({ token: z.string(), logprob: z.number() });
const content = z.array(tokenChance.extend({ top_logprobs: z.array(tokenChance).nullish() }));

function decodeToken(wire: z.infer<typeof token>): Wire {
  const text = wire.token ?? "";
  return { token: text, logprob: wire.logProbability ?? 0, bytes: [...Buffer.from(text, "utf8")] };
}

export function decodeLogprobs(value: unknown): unknown {
  const { chosenCandidates: chosen, topCandidates: top } = readAs(result, value) ?? {};
  if (!chosen || chosen.length === 0) return undefined;
  const list = chosen.map((each, index) => ({
    ...decodeToken(each),
    top_logprobs: (top?.[index]?.candidates ?? []).map(decodeToken),
  }));
  return { content: list, refusal: null };
}

export function encodeLogprobs(value: unknown): Wire | undefined {
  const list = readAs(content, asRecord(value)?.["content"]);
  if (list === undefined || list.length === 0) return undefined;
  const output = (each: z.infer<typeof tokenChance>) => ({ token: each.token, logProbability: each.logprob });
  return {
    chosenCandidates: list.map(output),
    topCandidates: list.map((each) => ({ candidates: (each.top_logprobs ?? []).map(output) })),
  };
}
