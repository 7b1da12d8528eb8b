import { z } from "zod";
import { adminAreas } from "./roles.ts";

/**
 * What an administrator may enter, as it is stored and sent. Areas that are not named are closed; null in the place of
 * this opens all that the role allows.
 */
export const Permissions = z.partialRecord(z.enum(adminAreas), z.enum(["view", "edit"]));
export type Permissions = z.infer<typeof Permissions>;
