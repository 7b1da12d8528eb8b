import { z } from "zod";

/** Groups of the console's list of providers. */
export const ProviderGroup = z.enum(["most-used", "compatible", "more", "cloud", "media", "discontinued"]);
export type ProviderGroup = z.infer<typeof ProviderGroup>;

/** A type of channel: one entry of GET /api/providers. The console builds its form from this. */
export const ProviderInfo = z.object({
  /** Number stored in `channel.type`. */
  type: z.int(),
  id: z.string(),
  label: z.string(),
  /** Name of the icon in the console's set of provider icons. */
  icon: z.string(),
  group: ProviderGroup,
  /** The page of Help about it, with a section after "#". */
  help: z.string(),
  base_url: z.string(),
  /** The operator must enter an address, because there is no default. */
  needs_base_url: z.boolean(),
  needs_key: z.boolean(),
  key_hint: z.string(),
  /** The cloud whose machine identities it accepts in place of a key; null when it accepts none. */
  identity: z.enum(["aws", "google", "azure"]).nullable(),
  /** Label of `channel.other`, or "" when this provider does not use it. */
  other_label: z.string(),
  endpoints: z.array(z.string()),
  /** Initial models. */
  models: z.array(z.string()),
  test_model: z.string(),
  website: z.string(),
  /** The provider reports the remaining balance of the account. */
  tells_balance: z.boolean(),
  /** JSON Schema of `channel.plugin`; null when there is none. */
  plugin: z.record(z.string(), z.unknown()).nullable(),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;
