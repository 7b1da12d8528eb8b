import { describe, expect, it } from "vitest";
import { Permissions } from "./permissions.ts";
import { adminAreas, mayEnter } from "./roles.ts";

const admin = (permissions: Permissions | null) => ({ role: 10, permissions });

describe("what an administrator may enter", () => {
  it("is everything while nothing is said, and nothing with an empty list", () => {
    for (const area of adminAreas) {
      expect(mayEnter(admin(null), area, "edit")).toBe(true);
      expect(mayEnter(admin({}), area, "view")).toBe(false);
    }
  });

  it("is what the list names: to edit includes to view, not the other way round", () => {
    const person = admin({ channels: "edit", users: "view" });
    expect(mayEnter(person, "channels", "view")).toBe(true);
    expect(mayEnter(person, "channels", "edit")).toBe(true);
    expect(mayEnter(person, "users", "view")).toBe(true);
    expect(mayEnter(person, "users", "edit")).toBe(false);
    expect(mayEnter(person, "logs")).toBe(false);
  });

  it("never binds root, and never lifts anyone else", () => {
    expect(mayEnter({ role: 100, permissions: {} }, "channels", "edit")).toBe(true);
    expect(mayEnter({ role: 3, permissions: { channels: "edit" } }, "channels")).toBe(false);
    expect(mayEnter({ role: 1, permissions: null }, "channels")).toBe(false);
  });

  it("takes known areas and levels only", () => {
    expect(Permissions.safeParse({ channels: "own" }).success).toBe(false);
    expect(Permissions.safeParse({ everything: "edit" }).success).toBe(false);
  });
});
