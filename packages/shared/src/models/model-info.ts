import { z } from "zod";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";

/** Kinds of input and output of a model. */
export const modalities = ["text", "image", "audio", "video", "pdf", "embedding"] as const;

const Messages = z.array(z.string().trim().min(1).max(40)).max(20, because("entries_too_many"));
const Tokens = z
  .int(because("number_whole"))
  .min(0, because("value_negative"))
  .max(2_000_000_000, because("value_too_large"));

/** Body of POST /api/model_info: public information about a model. */
export const ModelInfoInput = z.object({
  model: z.string().trim().min(1, because("model_name_required")).max(160),
  name: z.string().trim().max(160).default(""),
  description: z.string().trim().max(4_000).default(""),
  /** In tokens; 0 = unknown. */
  context_length: Tokens.default(0),
  /** Maximum output in tokens; 0 = unknown. */
  max_tokens: Tokens.default(0),
  input_modalities: Messages.default([]),
  output_modalities: Messages.default([]),
  tags: Messages.default([]),
  support_url: z
    .array(z.url({ protocol: /^https?$/, error: because("http_address") }).max(500))
    .max(10, because("addresses_too_many"))
    .default([]),
});
export type ModelInfoInput = z.infer<typeof ModelInfoInput>;

/** Body of PUT /api/model_info. `id` selects the row. */
export const ModelInfoChange = ModelInfoInput.extend({ id: z.int().min(1).max(2_147_483_647) });
export type ModelInfoChange = z.infer<typeof ModelInfoChange>;

export const ModelInfoRow = ModelInfoInput.extend({
  id: z.int(),
  model: z.string(),
  support_url: z.array(z.string()),
  created_at: UnixTime,
  updated_at: UnixTime,
});
export type ModelInfoRow = z.infer<typeof ModelInfoRow>;

/** Information about a model as the price list contains it. */
export const ModelFacts = ModelInfoRow.omit({ id: true, model: true, created_at: true, updated_at: true });
export type ModelFacts = z.infer<typeof ModelFacts>;

/** Other gateways of this kind store lists as JSON in a string. */
const LooseTerms = z.preprocess((value) => {
  if (typeof value !== "string") return value ?? [];
  try {
    return value.trim() === "" ? [] : JSON.parse(value);
  } catch {
    return value.split(",");
  }
}, Messages);

export const ImportedModelInfo = ModelInfoInput.extend({
  input_modalities: LooseTerms,
  output_modalities: LooseTerms,
  tags: LooseTerms,
  support_url: z.preprocess((value) => {
    if (typeof value !== "string") return value ?? [];
    try {
      return value.trim() === "" ? [] : JSON.parse(value);
    } catch {
      return [value];
    }
  }, ModelInfoInput.shape.support_url),
});

/** skip: existing models are unchanged · overwrite: existing models take the values of the list. */
export const ImportMode = z.enum(["skip", "overwrite"]);
export type ImportMode = z.infer<typeof ImportMode>;

/**
 * Body of POST /api/model_info/import: a list or its address. Neither means the list that is included in this
 * version.
 */
export const ModelInfoImport = z.object({
  url: z
    .union([z.literal(""), z.url({ protocol: /^https?$/, error: because("http_address") }).max(500)])
    .default(""),
  models: z.unknown().optional(),
  mode: ImportMode.default("skip"),
});
export type ModelInfoImport = z.infer<typeof ModelInfoImport>;

export const ModelInfoImportResult = z.object({ added: z.int(), changed: z.int(), kept: z.int() });
export type ModelInfoImportResult = z.infer<typeof ModelInfoImportResult>;
