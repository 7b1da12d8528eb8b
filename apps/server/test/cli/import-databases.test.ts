import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { newApiColumns } from "#migration/products/new-api/columns.ts";
import { root } from "#platform/places.ts";
import { installedDatabase } from "#test/database.ts";
import { testSecretKey } from "#test/gateway.ts";
import { cli } from "./cli.ts";
import { difficultRows } from "./difficult-rows.ts";
import { foreignDatabase } from "./foreign-database.ts";
import { expectOneInstant, expectSameImports, removeAll, removeLater } from "./import-cases.ts";

/** Sources in SQLite and Postgres, with the same difficult rows. For MariaDB see mariadb.verify.test.ts. */
afterEach(removeAll);

describe("gateway import new-api", () => {
  it("takes over the same from SQLite and Postgres", { timeout: 180_000 }, () =>
    expectSameImports("new-api", ["postgres"]),
  );
});

describe.each(["sqlite", "postgres"] as const)("a source in %s", (kind) => {
  it("is read as of one instant, and cannot be written", () => expectOneInstant(kind));
});

describe("an import that is killed", () => {
  it(
    "leaves nothing behind, and the next one takes over everything",
    { timeout: 120_000, tags: "nightly" },
    async () => {
      const made = difficultRows("new-api");
      const users = made["users"] ?? [];
      const more = Array.from({ length: 600 }, (_, index) => ({
        ...users[1],
        id: 1_000 + index,
        username: `n${index}`,
        aff_code: `n${index}`,
      }));
      const from = await foreignDatabase("sqlite", newApiColumns, { ...made, users: [...users, ...more] });
      const target = await installedDatabase();
      removeLater(from.remove, target.drop);
      const args = ["import", "new-api", "--from", from.from, "--yes"];
      const child = spawn(process.execPath, [join(root, "apps/server/src/cli/main.ts"), ...args], {
        env: {
          PATH: process.env["PATH"],
          NODE_ENV: "test",
          DATABASE_URL: target.url,
          SECRET_KEY: testSecretKey,
          DATA_DIR: tmpdir(),
        },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
      for await (const line of createInterface({ input: child.stderr }))
        if (line.startsWith("users: ")) {
          child.kill("SIGKILL");
          break;
        }
      expect(await ended).toBe("SIGKILL");
      // The next run waits until the database has noticed.
      const again = await cli(target.url, ...args, "--json");
      expect(again.exitCode, again.err).toBe(0);
      expect(again.json()).toMatchObject({ ok: true, counts: { users: { imported: 600 + users.length } } });
      expect(again.json()).not.toHaveProperty("already_imported");
    },
  );
});
