import { can, Role } from "@gateway/shared/roles";
import { describe, expect, it } from "vitest";
import { pathTo, screenById, screens, visibleMenu } from "./screens.ts";

function idsFor(role: number): string[] {
  return visibleMenu((action) => can(role, action)).flatMap((group) =>
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
    expect(shown.filter((id) => screenById(id)?.action !== undefined)).toEqual([]);
  });

  it("leaves out groups and collapses without entries", () => {
    for (const group of visibleMenu(() => false)) {
      expect(group.entries.length).toBeGreaterThan(0);
      for (const entry of group.entries) if (entry.type === "collapse") expect(entry.screens).not.toEqual([]);
    }
  });
});
