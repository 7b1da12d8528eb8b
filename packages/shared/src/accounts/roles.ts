/** Roles are numbers, so that "at least" is a comparison. */
export const Role = { guest: 0, user: 1, reliable: 3, admin: 10, root: 100 } as const;
export type Role = (typeof Role)[keyof typeof Role];

/** What a person may do. The server's guards and the console's menu ask the same table. */
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

/** What administrators may be kept out of. Every route for them names one of these. */
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

/** To edit includes to view. */
export type AdminLevel = "view" | "edit";

export interface AdminRights {
  role: number;
  /** Null: whatever the role allows. */
  permissions: Partial<Record<AdminArea, AdminLevel>> | null;
}

/**
 * What two sets of rights have in common; null is everything that the role allows. Whoever makes an administrator
 * passes on no more than that.
 */
export function commonRights(
  one: AdminRights["permissions"],
  other: AdminRights["permissions"],
): AdminRights["permissions"] {
  if (one === null) return other;
  if (other === null) return one;
  const both = adminAreas.flatMap((area) => {
    const levels = [one[area], other[area]];
    if (levels.includes(undefined)) return [];
    return [[area, levels.includes("view") ? "view" : "edit"]];
  });
  return Object.fromEntries(both) as Partial<Record<AdminArea, AdminLevel>>;
}

/** Whether `mine` covers everything that `theirs` allows. */
export function coversRights(mine: AdminRights["permissions"], theirs: AdminRights["permissions"]): boolean {
  if (mine === null) return true;
  if (theirs === null) return false;
  return adminAreas.every((area) => {
    const theirLevel = theirs[area];
    return theirLevel === undefined || mine[area] === "edit" || mine[area] === theirLevel;
  });
}

/** The server's guards and the console's menu ask this. Root enters everything; who is no administrator, nothing. */
export function mayEnter(person: AdminRights, area: AdminArea, level: AdminLevel = "view"): boolean {
  if (person.role < Role.admin) return false;
  if (person.role >= Role.root || person.permissions === null) return true;
  const given = person.permissions[area];
  return given === "edit" || (given === "view" && level === "view");
}
