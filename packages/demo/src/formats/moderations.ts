import { randomBytes } from "node:crypto";
import { lookupTable } from "@gateway/shared/lookup-table";
import { type Json, asList, asObject, asText } from "#answer/json.ts";

const signs = lookupTable<RegExp | undefined>({
  harassment: /\bidiot\b|白痴|バカ/i,
  "harassment/threatening": undefined,
  hate: /\bhate\b|仇恨|憎い/i,
  "hate/threatening": undefined,
  illicit: undefined,
  "illicit/violent": undefined,
  "self-harm": undefined,
  "self-harm/instructions": undefined,
  "self-harm/intent": undefined,
  sexual: undefined,
  "sexual/minors": undefined,
  violence: /\bkill|\bviolence\b|杀|殺|暴力/i,
  "violence/graphic": undefined,
});
const CERTAIN = 0.97;
const UNLIKELY = 0.0001;

/** Flags a few words, so that both outcomes can be tested. */
export function moderations(body: Json): Json {
  const { input } = body;
  const parts = asList(input);
  // A list of parts is one input; a list of texts is several.
  const several = typeof parts[0] === "string";
  const whole = parts.map((part) => asText(asObject(part)["text"])).join("\n");
  const texts = several ? parts.map(asText) : [typeof input === "string" ? input : whole];
  return {
    id: `modr-${randomBytes(12).toString("hex")}`,
    model: asText(body["model"]) || "omni-moderation-latest",
    results: texts.map(moderate),
  };
}

function moderate(text: string): Json {
  const found = Object.entries(signs).map(([name, sign]) => [name, sign?.test(text) === true] as const);
  return {
    flagged: found.some(([, flagged]) => flagged),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, flagged]) => [name, flagged ? CERTAIN : UNLIKELY])),
    category_applied_input_types: Object.fromEntries(found.map(([name]) => [name, ["text"]])),
  };
}
