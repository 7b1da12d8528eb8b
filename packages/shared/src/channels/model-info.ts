import { z } from "zod";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";

/** What goes into a model and what comes out. */
export const modalities = ["text", "image", "audio", "video", "pdf", "embedding"] as const;

const Messages = z.array(z.string().trim().min(1).max(40)).max(20, because("entries_too_many"));
const Tokens = z
  .int(because("number_whole"))
  .min(0, because("value_negative"))
  .max(2_000_000_000, because("value_too_large"));

/** POST /api/model_info: what people should know about a model. */
export const ModelInfoInput = z.object({
  model: z.string().trim().min(1, because("model_name_required")).max(160),
  name: z.string().trim().max(160).default(""),
  description: z.string().trim().max(4_000).default(""),
  /** Tokens; 0 = not known. */
  context_length: Tokens.default(0),
  /** Longest answer in tokens; 0 = not known. */
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

/** PUT /api/model_info: `id` says which. */
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

/** As the price list shows it. */
export const ModelFacts = ModelInfoRow.omit({ id: true, model: true, created_at: true, updated_at: true });
export type ModelFacts = z.infer<typeof ModelFacts>;

/** Other gateways of this kind keep lists as JSON in a string. */
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

/** skip: models that are there stay as they are · overwrite: they become what the list says. */
export const ImportMode = z.enum(["skip", "overwrite"]);
export type ImportMode = z.infer<typeof ImportMode>;

/** POST /api/model_info/import: a list, or where it is; neither means the list that this version brings. */
export const ModelInfoImport = z.object({
  url: z
    .union([z.literal(""), z.url({ protocol: /^https?$/, error: because("http_address") }).max(500)])
    .default(""),
  models: z.unknown().optional(),
  mode: ImportMode.default("skip"),
});
export type ModelInfoImport = z.infer<typeof ModelInfoImport>;

export const ModelInfoImported = z.object({ added: z.int(), changed: z.int(), kept: z.int() });
export type ModelInfoImported = z.infer<typeof ModelInfoImported>;
