import { createGroups, type ActiveGroups } from "#domain/accounts/groups/active-groups.ts";
import type { KeyReferences } from "#domain/channels/key-references/key-references.ts";
import { type Candidates, createCandidates } from "#domain/channels/selection/candidates.ts";
import { createMcpDirectory, type McpDirectory } from "#domain/mcp/directory.ts";
import { createPrices, type Prices } from "#domain/pricing/prices.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import { type Callers, createCallers } from "#domain/tokens/callers.ts";
import { createRevocations, type Revocations } from "#domain/tokens/revocations.ts";
import { type Announcements, coalesce } from "#platform/announcements.ts";
import type { Database } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import type { Context } from "./context.ts";
import type { DemoProvider } from "./demo-provider.ts";
import type { Component } from "./parts.ts";

export interface Caches {
  groups: ActiveGroups;
  prices: Prices;
  candidates: Candidates;
  callers: Callers;
  revocations: Revocations;
  mcpDirectory: McpDirectory;
}

interface Needs extends Context {
  database: Database;
  secrets: Secrets;
  announcements: Announcements;
  settings: SettingsStore;
  providers: Providers;
  demo: DemoProvider;
  keyReferences: KeyReferences;
}

/** Data that every call reads. Kept in memory, and reloaded when any node announces a change. */
export const caches: Component<Needs, Caches> = {
  name: "caches",
  async open(needs) {
    const { db } = needs.database;
    const opened: Caches = {
      groups: await createGroups(db),
      prices: await createPrices(db),
      candidates: await createCandidates({ ...needs, db }),
      callers: createCallers(db, needs.secrets),
      revocations: createRevocations(db, needs.onError),
      mcpDirectory: createMcpDirectory(db, needs.secrets),
    };
    follow(needs, opened);
    return opened;
  },
  close: ({ revocations }) => revocations.close(),
};

function follow(
  { announcements, settings, demo }: Needs,
  { groups, prices, candidates, callers, revocations, mcpDirectory }: Caches,
): void {
  // Channels of the demo provider become usable once it runs.
  announcements.on("settings", async () => {
    if (demo.isRunning()) return;
    await settings.reload();
    await demo.follow(settings.current().DemoProviderEnabled);
    if (demo.isRunning()) await candidates.reload();
  });
  const whole = { settings, prices, groups } as const;
  for (const [topic, cache] of Object.entries(whole))
    announcements.on(
      topic as keyof typeof whole,
      coalesce(() => cache.reload()),
    );
  announcements.on("channels", (id) => candidates.changed(id));
  announcements.on("mcp", () => mcpDirectory.forget());
  announcements.on("tokens", (id) => callers.forgetToken(id));
  announcements.on("users", (id) => callers.forgetUser(id));
  for (const topic of ["tokens", "users"] as const)
    announcements.on(topic, (id) => revocations.changed(topic, id));
}
