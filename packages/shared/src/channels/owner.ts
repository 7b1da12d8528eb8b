import { z } from "zod";
import { because } from "#errors/issue.ts";

/** Ids up to here belong to the providers the product knows. */
export const LAST_RESERVED_OWNER = 1_000;

export const ModelOwnerRow = z.object({ id: z.int(), name: z.string(), icon: z.string() });
export type ModelOwnerRow = z.infer<typeof ModelOwnerRow>;

const Id = z.int(because("number_whole")).min(1).max(2_147_483_647);

/** PUT /api/model_ownedby: `id` says which; it never changes. */
export const ModelOwnerChange = z.object({
  id: Id,
  name: z.string().trim().min(1, because("name_required")).max(100),
  /** A name of the console's icon set, or the address of a picture. */
  icon: z.string().trim().max(500).default(""),
});
export type ModelOwnerChange = z.infer<typeof ModelOwnerChange>;

/** POST /api/model_ownedby. */
export const ModelOwnerInput = ModelOwnerChange.extend({
  id: Id.gt(LAST_RESERVED_OWNER, because("owner_id")),
});
