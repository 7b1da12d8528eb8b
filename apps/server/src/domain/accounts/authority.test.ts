import type { Permissions } from "@gateway/shared/accounts/permissions";
import { describe, expect, it } from "vitest";
import { type AccountChange, mayRead, requireMayChange } from "./authority.ts";

const everyArea: Permissions = { users: "edit", balances: "edit", tokens: "edit" };

const actors = {
  restricted: { role: 10, permissions: everyArea },
  unrestricted: { role: 10, permissions: null },
  root: { role: 100, permissions: null },
} as const;

const targets = {
  user: { role: 1, demoted_by_admin: false },
  reliable: { role: 3, demoted_by_admin: false },
  demoted: { role: 1, demoted_by_admin: true },
  administrator: { role: 10, demoted_by_admin: false },
  root: { role: 100, demoted_by_admin: false },
} as const;

const others: AccountChange[] = [
  { part: "profile" },
  { part: "access" },
  { part: "money" },
  { part: "tokens" },
];
const permissions: AccountChange = { part: "permissions", role: 10 };
const role = (value: number): AccountChange => ({ part: "role", role: value });

/** Returns the targets of which the actor may change this. */
function changeable(name: keyof typeof actors, change: AccountChange): string[] {
  const actor = { id: 1, username: "actor", ip: "", ...actors[name] };
  return Object.entries(targets)
    .filter(([, target]) => {
      try {
        requireMayChange(actor, { id: 2, ...target }, change);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: "forbidden" });
        return false;
      }
    })
    .map(([title]) => title);
}

describe("what an administrator may change of another account", () => {
  const lower = ["user", "reliable"];
  const belowRoot = [...lower, "demoted", "administrator"];

  it.each(others)("$part: of lower roles, except of those that another administrator demoted", (change) => {
    expect(changeable("restricted", change)).toEqual(lower);
    expect(changeable("unrestricted", change)).toEqual(lower);
    expect(changeable("root", change)).toEqual(belowRoot);
  });

  it.each([1, 3])("the role to %i: with all permissions, also of an administrator", (to) => {
    expect(changeable("restricted", role(to))).toEqual([]);
    expect(changeable("unrestricted", role(to))).toEqual(belowRoot);
    expect(changeable("root", role(to))).toEqual(belowRoot);
  });

  it("the role to administrator: with all permissions", () => {
    expect(changeable("restricted", role(10))).toEqual([]);
    expect(changeable("unrestricted", role(10))).toEqual([...lower, "demoted"]);
    expect(changeable("root", role(10))).toEqual(belowRoot);
  });

  it("the role to root: never", () => {
    for (const actor of ["restricted", "unrestricted", "root"] as const)
      expect(changeable(actor, role(100)), actor).toEqual([]);
  });

  it("the permissions: as root only", () => {
    expect(changeable("restricted", permissions)).toEqual([]);
    expect(changeable("unrestricted", permissions)).toEqual([]);
    expect(changeable("root", permissions)).toEqual(belowRoot);
  });
});

it("an account can be read by higher roles and by its owner", () => {
  const readable = (reader: number) =>
    [1, 3, 10, 100].filter((of) => mayRead({ id: 1, role: reader }, { id: 2, role: of }));
  expect(readable(1)).toEqual([]);
  expect(readable(10)).toEqual([1, 3]);
  expect(readable(100)).toEqual([1, 3, 10]);
  expect(mayRead({ id: 1, role: 100 }, { id: 1, role: 100 })).toBe(true);
});
