import { type AdminRights, Role } from "@gateway/shared/accounts/roles";
import { describe, expect, it } from "vitest";
import { collapseAround, itemsIn, pathTo, visibleMenu } from "./menu/menu.ts";
import { screenById, screens } from "./screens.ts";

const root: AdminRights = { role: Role.root, permissions: null };

function idsFor(role: number, permissions: AdminRights["permissions"] = null): string[] {
  return visibleMenu({ role, permissions }).flatMap((group) => itemsIn(group).map(({ id }) => id));
}

describe("the menu", () => {
  it("contains each screen once, except those in the header or within another screen", () => {
    expect(idsFor(Role.root).toSorted()).toEqual(
      screens
        .filter((screen) => !screen.inHeader && screen.from === undefined)
        .map((screen) => screen.id)
        .toSorted(),
    );
  });

  it("hides administrator screens from users, and marks them for administrators", () => {
    const shown = idsFor(Role.user);
    expect(shown).toContain("dashboard");
    expect(shown.filter((id) => screenById(id)?.action ?? screenById(id)?.area)).toEqual([]);
    for (const item of visibleMenu(root).flatMap(itemsIn))
      expect(item.isAdmin, item.id).toBe(!shown.includes(item.id));
  });

  it("hides screens outside an administrator's rights, and no others", () => {
    const narrowed = idsFor(Role.admin, { channels: "view", prices: "edit" });
    expect(narrowed.filter((id) => screenById(id)?.area)).toEqual(["channel", "pricing"]);
    expect(narrowed).toContain("dashboard");
    expect(idsFor(Role.admin).filter((id) => screenById(id)?.area).length).toBeGreaterThan(5);
    expect(idsFor(Role.root, {})).toEqual(idsFor(Role.root));
  });

  it("leaves out groups and collapses without items", () => {
    for (const role of [Role.guest, Role.user])
      for (const group of visibleMenu({ role, permissions: null })) {
        expect(group.children).not.toEqual([]);
        expect(group.children.filter((entry) => entry.type === "collapse")).toEqual([]);
      }
  });

  it("opens the collapse that contains the screen of an address", () => {
    const around = (pathname: string) => collapseAround(visibleMenu(root), pathname);
    expect(around("/panel/pricing")).toBe("operation");
    expect(around("/panel/payment/1")).toBe("paySetting");
    expect(around("/panel/user")).toBeUndefined();
    expect(around("/panel/user_group")).toBe("operation");
  });
});

describe("the breadcrumbs", () => {
  it("name the group and the screen", () => {
    expect(pathTo("profile", root)).toEqual(["Setting", "Profile"]);
    expect(pathTo("pricing", root)).toEqual(["Setting", "Prices"]);
    expect(pathTo("session", root)).toEqual(["Usage", "Sessions"]);
    expect(pathTo("inbox", root)).toEqual(["Notifications"]);
    expect(pathTo("setting", root)).toEqual(["Settings"]);
    expect(pathTo("channel", { role: Role.user, permissions: null })).toEqual([]);
  });
});

describe("the letters after g", () => {
  it("open one screen each", () => {
    const letters = screens.flatMap(({ goKey }) => goKey ?? []);
    expect(new Set(letters).size).toBe(letters.length);
    for (const letter of letters) expect(letter).toMatch(/^[a-z]$/);
  });
});
