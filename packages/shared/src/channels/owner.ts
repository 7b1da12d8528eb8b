import { z } from "zod";
import { LAST_RESERVED_OWNER } from "#channels/reserved-owners.ts";
import { because } from "#errors/issue.ts";
export { LAST_RESERVED_OWNER } from "#channels/reserved-owners.ts";

export const ModelOwnerRow = z.object({ id: z.int(), name: z.string(), icon: z.string() });
export type ModelOwnerRow = z.infer<typeof ModelOwnerRow>;

const Id = z.int(because("number_whole")).min(1).max(2_147_483_647);

/** Body of PUT /api/model_ownedby. `id` selects the row and never changes. */
export const ModelOwnerChange = z.object({
  id: Id,
  name: z.string().trim().min(1, because("name_required")).max(100),
  /** Name of an icon in the console's set, or the address of an image. */
  icon: z.string().trim().max(500).default(""),
});
export type ModelOwnerChange = z.infer<typeof ModelOwnerChange>;

/** Body of POST /api/model_ownedby. */
export const ModelOwnerInput = ModelOwnerChange.extend({
  id: Id.gt(LAST_RESERVED_OWNER, because("owner_id")),
});
