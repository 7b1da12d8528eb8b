import { z } from "zod";

/** What a channel can be: one entry of GET /api/providers. The console draws its form from this. */
export const ProviderInfo = z.object({
  /** Number stored in `channel.type`. */
  type: z.int(),
  id: z.string(),
  label: z.string(),
  /** Icon name in the console's provider icon set. */
  icon: z.string(),
  base_url: z.string(),
  /** The operator must give an address: there is no default. */
  needs_base_url: z.boolean(),
  needs_key: z.boolean(),
  key_hint: z.string(),
  /** Label of `channel.other`, or "" when this provider does not use it. */
  other_label: z.string(),
  endpoints: z.array(z.string()),
  /** Models to start with. */
  models: z.array(z.string()),
  test_model: z.string(),
  website: z.string(),
  /** The provider tells what is left on the account. */
  tells_balance: z.boolean(),
  /** JSON Schema of `channel.plugin`, null when there is none. */
  plugin: z.record(z.string(), z.unknown()).nullable(),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;
