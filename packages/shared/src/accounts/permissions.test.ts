import { describe, expect, it } from "vitest";
import { Permissions } from "./permissions.ts";
import { adminAreas, mayEnter } from "./roles.ts";

const admin = (permissions: Permissions | null) => ({ role: 10, permissions });

describe("permissions of administrators", () => {
  it("allows every area without a list, and none with an empty list", () => {
    for (const area of adminAreas) {
      expect(mayEnter(admin(null), area, "edit")).toBe(true);
      expect(mayEnter(admin({}), area, "view")).toBe(false);
    }
  });

  it("allows the listed areas; edit includes view, but view does not include edit", () => {
    const person = admin({ channels: "edit", users: "view" });
    expect(mayEnter(person, "channels", "view")).toBe(true);
    expect(mayEnter(person, "channels", "edit")).toBe(true);
    expect(mayEnter(person, "users", "view")).toBe(true);
    expect(mayEnter(person, "users", "edit")).toBe(false);
    expect(mayEnter(person, "logs")).toBe(false);
  });

  it("does not restrict root, and gives nothing to other roles", () => {
    expect(mayEnter({ role: 100, permissions: {} }, "channels", "edit")).toBe(true);
    expect(mayEnter({ role: 3, permissions: { channels: "edit" } }, "channels")).toBe(false);
    expect(mayEnter({ role: 1, permissions: null }, "channels")).toBe(false);
  });

  it("accepts known areas and levels only", () => {
    expect(Permissions.safeParse({ channels: "own" }).success).toBe(false);
    expect(Permissions.safeParse({ everything: "edit" }).success).toBe(false);
  });
});
