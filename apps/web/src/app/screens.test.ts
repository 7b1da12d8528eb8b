import { type AdminRights, Role } from "@gateway/shared/accounts/roles";
import { describe, expect, it } from "vitest";
import { pathTo, screenById, screens, visibleMenu } from "./screens.ts";

function idsFor(role: number, permissions: AdminRights["permissions"] = null): string[] {
  return visibleMenu({ role, permissions }).flatMap((group) =>
    group.entries.flatMap((entry) =>
      entry.type === "item" ? [entry.screen.id] : entry.screens.map((screen) => screen.id),
    ),
  );
}

describe("the menu", () => {
  it("has a place for every screen", () => {
    expect(screens.filter((screen) => pathTo(screen.id).length === 0)).toEqual([]);
  });

  it("shows the root account every screen", () => {
    expect(idsFor(Role.root).toSorted()).toEqual(screens.map((screen) => screen.id).toSorted());
  });

  it("hides from ordinary users what is for administrators", () => {
    const shown = idsFor(Role.user);
    expect(shown).toContain("dashboard");
    expect(shown.filter((id) => screenById(id)?.action ?? screenById(id)?.area)).toEqual([]);
  });

  it("hides from an administrator what it does not name, and from no one else", () => {
    const narrowed = idsFor(Role.admin, { channels: "view", prices: "edit" });
    expect(narrowed.filter((id) => screenById(id)?.area)).toEqual(["channel", "pricing"]);
    expect(narrowed).toContain("dashboard");
    expect(idsFor(Role.admin).filter((id) => screenById(id)?.area).length).toBeGreaterThan(5);
    expect(idsFor(Role.root, {})).toEqual(idsFor(Role.root));
  });

  it("leaves out groups and collapses without entries", () => {
    for (const group of visibleMenu({ role: Role.guest, permissions: null })) {
      expect(group.entries.length).toBeGreaterThan(0);
      for (const entry of group.entries) if (entry.type === "collapse") expect(entry.screens).not.toEqual([]);
    }
  });
});
