import { z } from "zod";
import { adminAreas } from "./roles.ts";

/**
 * Permissions of an administrator, as stored and sent. Areas that are not listed are denied. Null instead of
 * this object allows everything that the role allows.
 */
export const Permissions = z.partialRecord(z.enum(adminAreas), z.enum(["view", "edit"]));
export type Permissions = z.infer<typeof Permissions>;
