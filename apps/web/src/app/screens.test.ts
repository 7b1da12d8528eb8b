import { type AdminRights, Role } from "@gateway/shared/accounts/roles";
import { describe, expect, it } from "vitest";
import { pathTo, visibleMenu } from "./menu/menu.ts";
import { screenById, screens } from "./screens.ts";

const root: AdminRights = { role: Role.root, permissions: null };

function idsFor(role: number, permissions: AdminRights["permissions"] = null): string[] {
  return visibleMenu({ role, permissions }).flatMap((group) => group.screens.map((screen) => screen.id));
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

  it("has six groups", () => {
    const titles = visibleMenu(root).map((group) => group.title);
    expect(titles).toEqual(["Overview", "Traffic", "Customers", "Catalog", "Money", "System"]);
  });

  it("hides administrator screens from users and uses the users' group titles", () => {
    const shown = idsFor(Role.user);
    expect(shown).toContain("dashboard");
    expect(shown.filter((id) => screenById(id)?.action ?? screenById(id)?.area)).toEqual([]);
    const titles = visibleMenu({ role: Role.user, permissions: null }).map((group) => group.title);
    expect(titles).toEqual(["Overview", "Traffic", "Access", "Catalog", "Billing", "Account"]);
  });

  it("hides screens outside an administrator's rights, and no others", () => {
    const narrowed = idsFor(Role.admin, { channels: "view", prices: "edit" });
    expect(narrowed.filter((id) => screenById(id)?.area)).toEqual(["channel", "pricing"]);
    expect(narrowed).toContain("dashboard");
    expect(idsFor(Role.admin).filter((id) => screenById(id)?.area).length).toBeGreaterThan(5);
    expect(idsFor(Role.root, {})).toEqual(idsFor(Role.root));
  });

  it("leaves out groups without screens", () => {
    for (const group of visibleMenu({ role: Role.guest, permissions: null }))
      expect(group.screens).not.toEqual([]);
  });
});

describe("the breadcrumbs", () => {
  it("use the group titles of the user's menu", () => {
    expect(pathTo("profile", root)).toEqual(["System", "Profile"]);
    expect(pathTo("profile", { role: Role.user, permissions: null })).toEqual(["Account", "Profile"]);
    expect(pathTo("channel", { role: Role.user, permissions: null })).toEqual([]);
  });
});
