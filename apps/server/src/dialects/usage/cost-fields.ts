/**
 * Removes fields that raise the cost of a request, in every client wire format. A provider receives one
 * output limit and one number of responses: those that the reservation covers. Fields that the gateway does
 * not understand are removed and reported. Pure. docs/money.md contains the same lists.
 */
import type { Wire } from "#dialects/dialect.ts";
import type { ClientDialectId } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";

/**
 * Wire formats of clients: the dialects, OpenAI's older endpoints,
 * and those of them that generate no tokens.
 */
export type CostWire = ClientDialectId | "openai-plain" | "openai-vectors";

type Kind = "limit" | "answers" | "unknown" | "container";

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/**
 * Output limits under all names that servers of these formats read: vLLM,
 * llama.cpp, Ollama, TGI, Triton, Bedrock, etc.
 */
const limits = words(`
  max_tokens max_completion_tokens max_output_tokens max_new_tokens n_predict num_predict
  max_length max_gen_len max_tokens_to_sample max_tokens_to_generate tokens_to_generate
  max_generated_tokens max_generation_tokens max_output_length max_completion_length
  max_decode_tokens output_max_tokens max_response_tokens max_response_output_tokens
  max_token_count max_new_token max_output_token max_token`);

/** Numbers of responses, and of candidates that are generated and discarded. */
const answers = words(`
  n best_of candidate_count num_candidates num_return_sequences num_completions num_generations
  num_results n_cmpl n_completions num_beams beam_width beam_size use_beam_search
  num_images number_of_images num_outputs num_samples samples sample_count sample_num n_samples n_images
  image_count image_num image_number images_count images_num max_images nums batch_size batch_count
  sequential_image_generation sequential_image_generation_options`);

/**
 * Models, routes and prompts other than the billed ones, responses that are collected later, searches that no
 * usage reports, and minimum output lengths.
 */
const unknown = words(`
  min_tokens min_new_tokens min_length min_output_tokens min_completion_tokens min_gen_len ignore_eos
  models fallbacks fallback fallback_model fallback_models context_window_fallbacks content_policy_fallbacks
  model_name model_id model_list user_model user_config deployment deployment_id deployment_name engine engine_id
  route routing router gateway provider_options plugins preset provider deferred search_parameters enable_search forced_search
  search_options search_settings enable_web_search web_search enable_enhancement
  force_search_enhancement enable_multimedia enable_deep_search enable_deep_read
  num_search_queries connectors compound_custom chat_template inference_geo`);

/** Objects in which some servers read the same fields. */
const containers = words(`
  options parameters sampling_params inference_params inference_config model_params
  generation_config generation_options generate_config generate_cfg generation_cfg gen_config
  config input params kwargs model_kwargs inference_parameters request_parameters
  additional_model_request_fields extra_body extra_params extra`);

/** Cache of folded names. Callers choose the names, so their number and length are limited. */
const folds = new Map<string, string>();
const MOST_FOLDS = 2_000;
const LONGEST_FOLD = 64;

/** Returns the name as seen by readers that ignore case and hyphens. */
function fold(name: string): string {
  const known = folds.get(name);
  if (known !== undefined) return known;
  const folded = name.toLowerCase().replaceAll(/[_-]/g, "");
  if (folds.size < MOST_FOLDS && name.length <= LONGEST_FOLD) folds.set(name, folded);
  return folded;
}

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...limits.map((name) => [fold(name), "limit"] as const),
  ...answers.map((name) => [fold(name), "answers"] as const),
  ...unknown.map((name) => [fold(name), "unknown"] as const),
  ...containers.map((name) => [fold(name), "container"] as const),
]);

interface Own {
  /** The format's own names of its output limit; the last one present is kept. */
  limits: readonly string[];
  answers: readonly string[];
  /** Path of the object that contains both, when it is not the body itself. */
  inside?: readonly string[];
  /** A length in this format limits the input. */
  limitless?: boolean;
  /** Responses do not name their service tier, so no tier can be billed. */
  tierless?: boolean;
}

const own: Readonly<Record<CostWire, Own>> = {
  "openai-chat": { limits: ["max_tokens", "max_completion_tokens"], answers: ["n"] },
  "openai-responses": { limits: ["max_output_tokens"], answers: [] },
  anthropic: { limits: ["max_tokens"], answers: [] },
  gemini: {
    limits: ["max_output_tokens", "maxOutputTokens"],
    answers: ["candidate_count", "candidateCount"],
    inside: ["generation_config", "generationConfig"],
  },
  interactions: { limits: ["max_output_tokens"], answers: [], inside: ["generation_config"] },
  "openai-plain": { limits: ["max_tokens"], answers: ["n", "best_of"], tierless: true },
  "openai-vectors": { limits: [], answers: [], limitless: true, tierless: true },
};

interface LimitFields {
  /** The format's own limits that are present, in the order of `own`. */
  limits: string[];
  /** The largest limit under a name of another format; 0 when there is none. */
  foreign: number;
  removed: string[];
}

/** Returns the limit as a number; 0 for a value that sets none (-1 means "unlimited" on some servers). */
function limitOf(value: unknown): number {
  const limit = typeof value === "string" ? Number(value) : value;
  return typeof limit === "number" && Number.isFinite(limit) && limit > 0 ? Math.floor(limit) : 0;
}

/** Inspects one object of a body; `isOwn` tells whether it contains the format's own limits. */
function look(fields: Wire, wire: Own, isOwn: boolean, found: LimitFields, at = ""): Wire {
  let kept: Wire | undefined;
  const drop = (name: string) => {
    kept ??= { ...fields };
    delete kept[name];
    found.removed.push(at + name);
  };
  for (const [name, value] of Object.entries(fields)) {
    const folded = fold(name);
    const isTier = wire.tierless === true && folded === "servicetier";
    // Some servers merge such objects into the body: a model in one would replace the billed one.
    const isModel = at !== "" && folded === "model";
    const kind = isTier || isModel ? "unknown" : kinds.get(folded);
    if (kind === undefined || value === null || value === undefined) continue;
    if (kind === "limit" && wire.limitless === true) continue;
    if (isOwn && wire.limits.includes(name)) found.limits.push(name);
    else if (isOwn && wire.answers.includes(name)) continue;
    else if (kind === "container") {
      const inner = asRecord(value);
      if (inner === undefined) continue;
      const bounded = look(inner, wire, wire.inside?.includes(name) === true, found, `${at}${name}.`);
      if (bounded !== inner) kept = { ...(kept ?? fields), [name]: bounded };
    } else {
      if (kind === "limit") found.foreign = Math.max(found.foreign, limitOf(value));
      drop(name);
    }
  }
  return isOwn ? withOneLimit(kept ?? fields, wire, found, drop, () => kept) : (kept ?? fields);
}

/**
 * Keeps the largest of the format's own limits under its newest name.
 * Uses another format's limit when there is none.
 */
function withOneLimit(
  fields: Wire,
  { limits: [first] }: Own,
  found: LimitFields,
  drop: (name: string) => void,
  kept: () => Wire | undefined,
): Wire {
  if (found.limits.length > 1) {
    const values = found.limits.map((name) => fields[name]);
    // Values that are not limits are rejected where the request is decoded.
    if (!values.every((value) => typeof value === "number")) return fields;
    const last = found.limits.at(-1) ?? "";
    for (const name of found.limits.slice(0, -1)) drop(name);
    return { ...kept(), [last]: Math.max(...values) };
  }
  if (found.limits.length === 0 && found.foreign > 0 && first !== undefined)
    return { ...fields, [first]: found.foreign };
  return fields;
}

/**
 * Returns the body with one output limit and without fields whose cost would not be billed. Returns the same
 * object when nothing changes. `dropped` names the removed fields.
 */
export function withinCost(wire: CostWire, body: Wire): { body: Wire; dropped: string[] } {
  const found: LimitFields = { limits: [], foreign: 0, removed: [] };
  const rule = own[wire];
  const bounded = look(body, rule, rule.inside === undefined, found);
  return { body: bounded, dropped: found.removed };
}

/** Returns a body of this dialect with an output limit. */
export function withLimit(dialect: ClientDialectId, body: Wire, tokens: number): Wire {
  const { limits: names, inside } = own[dialect];
  if (inside === undefined) return { ...body, [names[0] ?? "max_tokens"]: tokens };
  const config = inside.find((name) => asRecord(body[name]) !== undefined) ?? inside.at(-1) ?? "";
  return { ...body, [config]: { ...asRecord(body[config]), [names.at(-1) ?? ""]: tokens } };
}

/**
 * Returns whether a form field would be removed from a JSON body.
 * A form is sent unchanged, so such a field is rejected.
 */
export function raisesCost(wire: CostWire, name: string): boolean {
  const { limits: ownLimits, answers: ownAnswers, limitless, tierless } = own[wire];
  const folded = fold(name.split("[", 1)[0] ?? "");
  if (tierless === true && folded === "servicetier") return true;
  const kind = kinds.get(folded);
  if (kind === undefined || ownLimits.includes(name) || ownAnswers.includes(name)) return false;
  return !(kind === "limit" && limitless === true);
}
