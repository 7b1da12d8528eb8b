import { startDemoUpstream } from "@gateway/demo/server";
import { afterEach, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { oneHubColumns } from "#migration/products/one-hub/columns.ts";
import { connect } from "#platform/database/db.ts";
import { installedDatabase } from "#test/database.ts";
import { cli } from "./cli.ts";
import { foreignDatabase } from "./foreign-database.ts";
import { startImported } from "./imported-gateway.ts";
import { oldKey, oneHubPassword, oneHubRows } from "./one-hub-rows.ts";

const cases: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const remove of cases.splice(0)) await remove();
});

it(
  "an old key calls a provider in four formats, and an old password signs in",
  { timeout: 60_000 },
  async () => {
    const demo = await startDemoUpstream();
    cases.push(() => demo.close());
    const rows = await oneHubRows();
    for (const channel of rows["channels"] ?? []) channel["base_url"] = demo.url;
    const from = await foreignDatabase("sqlite", oneHubColumns, rows);
    const { url, drop } = await installedDatabase();
    cases.push(from.remove, drop);
    const run = await cli(url, "import", "one-hub", "--from", from.from, "--yes", "--json");
    expect(run.exitCode, run.err).toBe(0);

    const gateway = await startImported(url);
    cases.unshift(() => gateway.stop());
    const database = connect(url, { max: 2 });
    cases.unshift(() => database.close());
    expect(await gateway.inEachDialect(`sk-${oldKey}`, "gpt-x")).toEqual({
      "openai-chat": 200,
      "openai-responses": 200,
      anthropic: 200,
      gemini: 200,
    });
    expect(await gateway.signIn("Анна 1", oneHubPassword)).toBe(true);
    // The calls are charged to the imported balance, and the books still agree.
    const charged = async () => {
      const owner = await database.db.user.findUniqueOrThrow({ where: { id: 2 } });
      return owner.quota < 5_000_000_000_000n;
    };
    await expect.poll(charged, { timeout: 15_000 }).toBe(true);
    expect((await audit(database.pool)).drift).toBe(0n);
  },
);
