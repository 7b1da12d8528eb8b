import { z } from "zod";
import { Role } from "./roles.ts";

/** What an administrator may enter, on top of the role. Every route for administrators names one of these. */
export const AdminArea = z.enum([
  "analytics",
  "users",
  "balances",
  "tokens",
  "channels",
  "groups",
  "prices",
  "models",
  "redemptions",
  "logs",
  "audit",
]);
export type AdminArea = z.infer<typeof AdminArea>;
export const adminAreas = AdminArea.options;

/** To edit includes to view. */
export const AdminLevel = z.enum(["view", "edit"]);
export type AdminLevel = z.infer<typeof AdminLevel>;

/** Areas that are not named are closed. Null instead of a list opens everything that the role allows. */
export const Permissions = z.partialRecord(AdminArea, AdminLevel);
export type Permissions = z.infer<typeof Permissions>;

/** Areas in which there is nothing to change, and those that are nothing but changes. */
export const onlyViewed: ReadonlySet<AdminArea> = new Set(["audit"]);
export const onlyEdited: ReadonlySet<AdminArea> = new Set(["balances"]);

/** The server's guards and the console's menu ask this. Root enters everything; who is no administrator, nothing. */
export function mayEnter(
  person: { role: number; permissions: Permissions | null },
  area: AdminArea,
  level: AdminLevel = "view",
): boolean {
  if (person.role < Role.admin) return false;
  if (person.role >= Role.root || person.permissions === null) return true;
  const given = person.permissions[area];
  return given === "edit" || (given === "view" && level === "view");
}
