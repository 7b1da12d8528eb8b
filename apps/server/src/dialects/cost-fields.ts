import type { Wire } from "./dialect.ts";
import type { DialectId } from "./ir.ts";
import { asRecord } from "./wire.ts";

/**
 * Fields that raise what a request costs, on every wire that clients use. A provider gets one output limit and one
 * number of answers, those that are reserved for. What this gateway does not understand is taken out and reported.
 * Pure. The same lists are in docs/money.md.
 */

/** The wires of clients: the four dialects, OpenAI's older endpoints, and those of them that write no tokens. */
export type CostWire = DialectId | "openai-plain" | "openai-vectors";

type Kind = "limit" | "answers" | "unknown" | "container";

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Output limits under all names that servers of these wires read: vLLM, llama.cpp, Ollama, TGI, Triton, Bedrock … */
const limits = words(`
  max_tokens max_completion_tokens max_output_tokens max_new_tokens n_predict num_predict
  max_length max_gen_len max_tokens_to_sample max_tokens_to_generate tokens_to_generate
  max_generated_tokens max_generation_tokens max_output_length max_completion_length
  max_decode_tokens output_max_tokens max_response_tokens max_response_output_tokens
  max_token_count max_new_token max_output_token max_token`);

/** Numbers of answers, and of candidates that are generated and thrown away. */
const answers = words(`
  n best_of candidate_count num_candidates num_return_sequences num_completions num_generations
  num_results n_cmpl n_completions num_beams beam_width beam_size use_beam_search
  num_images number_of_images num_outputs num_samples samples sample_count sample_num n_samples n_images
  image_count image_num image_number images_count images_num max_images nums batch_size batch_count
  sequential_image_generation sequential_image_generation_options`);

/**
 * Other models, routes and prompts than those that are billed, answers that are only collected later, searches that no
 * usage reports, and the least output.
 */
const unknown = words(`
  min_tokens min_new_tokens min_length min_output_tokens min_completion_tokens min_gen_len ignore_eos
  models fallbacks fallback fallback_model fallback_models context_window_fallbacks content_policy_fallbacks
  model_name model_id model_list user_model user_config deployment deployment_id deployment_name engine engine_id
  route routing router gateway provider_options plugins preset provider deferred search_parameters enable_search forced_search
  search_options search_settings enable_web_search web_search enable_enhancement
  force_search_enhancement enable_multimedia enable_deep_search enable_deep_read
  num_search_queries connectors compound_custom chat_template inference_geo`);

/** Objects in which some servers look for the same fields. */
const containers = words(`
  options parameters sampling_params inference_params inference_config model_params
  generation_config generation_options generate_config generate_cfg generation_cfg gen_config
  config input params kwargs model_kwargs inference_parameters request_parameters
  additional_model_request_fields extra_body extra_params extra`);

/** Names as they were folded before. Callers choose names, so their number and length are limited. */
const folds = new Map<string, string>();
const MOST_FOLDS = 2_000;
const LONGEST_FOLD = 64;

/** As readers see a name that care for neither case nor hyphens. */
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
  /** The wire's own names of its limit; the last of those present is kept. */
  limits: readonly string[];
  answers: readonly string[];
  /** Where both are, when not in the body itself. */
  inside?: readonly string[];
  /** A length here is one of the input. */
  limitless?: boolean;
  /** Answers do not name the tier they were made in, so none can be billed. */
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
  "openai-plain": { limits: ["max_tokens"], answers: ["n", "best_of"], tierless: true },
  "openai-vectors": { limits: [], answers: [], limitless: true, tierless: true },
};

interface Found {
  /** Those of the wire itself, in the order of `own`. */
  limits: string[];
  /** The largest limit under a foreign name; 0 when there is none that is a limit. */
  foreign: number;
  removed: string[];
}

/** The limit as a number; 0 for what sets none (-1 is "without end" on some servers). */
function limitOf(value: unknown): number {
  const limit = typeof value === "string" ? Number(value) : value;
  return typeof limit === "number" && Number.isFinite(limit) && limit > 0 ? Math.floor(limit) : 0;
}

/** Looks at one object of a body; `isOwn` says that the wire's own limits stand in it. */
function look(fields: Wire, wire: Own, isOwn: boolean, found: Found, at = ""): Wire {
  let kept: Wire | undefined;
  const drop = (name: string) => {
    kept ??= { ...fields };
    delete kept[name];
    found.removed.push(at + name);
  };
  for (const [name, value] of Object.entries(fields)) {
    const folded = fold(name);
    const isTier = wire.tierless === true && folded === "servicetier";
    // Some servers merge such objects into the body: a model in one would take the place of the billed one.
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

/** The largest of the wire's own limits under its newest name, or a foreign one where the wire's own is missing. */
function withOneLimit(
  fields: Wire,
  { limits: [first] }: Own,
  found: Found,
  drop: (name: string) => void,
  kept: () => Wire | undefined,
): Wire {
  if (found.limits.length > 1) {
    const values = found.limits.map((name) => fields[name]);
    // What is no limit is refused where the request is read.
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
 * The body with one output limit and without fields whose cost no one would pay. Answers the same object when there
 * is nothing to change; `dropped` names what was taken out.
 */
export function withinCost(wire: CostWire, body: Wire): { body: Wire; dropped: string[] } {
  const found: Found = { limits: [], foreign: 0, removed: [] };
  const rule = own[wire];
  const bounded = look(body, rule, rule.inside === undefined, found);
  return { body: bounded, dropped: found.removed };
}

/** Whether a field of a form would be taken out of a JSON body; a form is sent as it came, so it is refused. */
export function raisesCost(wire: CostWire, name: string): boolean {
  const { limits: ownLimits, answers: ownAnswers, limitless, tierless } = own[wire];
  const folded = fold(name.replace(/\[.*$/, ""));
  if (tierless === true && folded === "servicetier") return true;
  const kind = kinds.get(folded);
  if (kind === undefined || ownLimits.includes(name) || ownAnswers.includes(name)) return false;
  return !(kind === "limit" && limitless === true);
}
