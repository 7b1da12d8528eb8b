/** Roles, as numbers so that they can be compared with `>=`. */
export const Role = { guest: 0, user: 1, reliable: 3, admin: 10, root: 100 } as const;
export type Role = (typeof Role)[keyof typeof Role];

/** Minimum role for each action. The server's guards and the console's menu both use this table. */
const least = {
  useConsole: Role.user,
  seeBillingTag: Role.reliable,
  administer: Role.admin,
  configure: Role.root,
} as const;

export type Action = keyof typeof least;

export function can(role: number, action: Action): boolean {
  return role >= least[action];
}

export function roleName(role: number): "guest" | "user" | "reliable" | "admin" | "root" | "unknown" {
  for (const [name, value] of Object.entries(Role)) if (value === role) return name as keyof typeof Role;
  return "unknown";
}

/** Areas that can be denied to administrators. Every administrator route names one of them. */
export const adminAreas = [
  "analytics",
  "users",
  "balances",
  "tokens",
  "channels",
  "groups",
  "prices",
  "models",
  "redemptions",
  "payments",
  "telegram",
  "settings",
  "logs",
  "audit",
] as const;
export type AdminArea = (typeof adminAreas)[number];

/** `edit` includes `view`. */
export type AdminLevel = "view" | "edit";

export interface AdminRights {
  role: number;
  /** Null = everything that the role allows. */
  permissions: Partial<Record<AdminArea, AdminLevel>> | null;
}

/**
 * Returns whether a person may give and take roles: root, and administrators whose permissions are not limited.
 * Which accounts, the server decides (`domain/accounts/authority.ts`).
 */
export function mayChangeRoles({ role, permissions }: AdminRights): boolean {
  return role >= Role.root || (role >= Role.admin && permissions === null);
}

/** Returns whether `mine` includes everything that `theirs` allows. */
export function coversRights(mine: AdminRights["permissions"], theirs: AdminRights["permissions"]): boolean {
  if (mine === null) return true;
  if (theirs === null) return false;
  return adminAreas.every((area) => {
    const theirLevel = theirs[area];
    return theirLevel === undefined || mine[area] === "edit" || mine[area] === theirLevel;
  });
}

/**
 * Returns whether a person may access an area. The server's guards and the console's menu call it. Root may
 * access every area; a role below administrator none.
 */
export function mayEnter(person: AdminRights, area: AdminArea, level: AdminLevel = "view"): boolean {
  if (person.role < Role.admin) return false;
  if (person.role >= Role.root || person.permissions === null) return true;
  const given = person.permissions[area];
  return given === "edit" || (given === "view" && level === "view");
}
