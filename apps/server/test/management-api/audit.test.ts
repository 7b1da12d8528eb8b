import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "#platform/places.ts";
import { nightly } from "#test/nightly.ts";
import { type Audit, type Bench, openAudit, openBench } from "./audit.ts";
import { catalogChecks } from "./catalog.ts";
import { channelChecks } from "./channels.ts";
import { differences } from "./differences.ts";
import { routesWithoutCall } from "./routes.ts";
import { systemChecks } from "./system.ts";
import { tokenChecks } from "./tokens.ts";
import { usageChecks } from "./usage.ts";
import { userChecks } from "./users.ts";

/**
 * Every management route of One Hub in compatibility mode: status, envelope, fields of rows with their types, and
 * effect. Each with an access token and with a session cookie, with any content type.
 */
const checks = {
  ...channelChecks,
  ...tokenChecks,
  ...userChecks,
  ...catalogChecks,
  ...usageChecks,
  ...systemChecks,
};

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

// Both pass the same routes; the nightly run has the second one, too.
for (const transport of ["token", "cookie"] as const)
  describe(`a caller of One Hub with a ${transport}`, nightly(transport === "cookie"), () => {
    let audit: Audit;
    beforeAll(async () => {
      audit = await openAudit(bench, transport);
    });

    /** Runs one part of the audit, and reports all of its differences at once. */
    async function run(part: (audit: Audit) => Promise<void>): Promise<void> {
      const before = audit.differences.length;
      await part(audit);
      expect(audit.differences.slice(before)).toEqual([]);
    }

    it.each(differences.map(({ call, here, check }) => [`${call}: ${here}`, check] as const))(
      "differs: %s",
      (_name, check) => run(check),
    );
    it.each(Object.entries(checks))("%s", (_name, check) => run(check));
    it("has called every route", () => {
      console.info(`Management API of One Hub with a ${transport}: ${audit.calls.length} calls`);
      expect(routesWithoutCall(audit.calls)).toEqual([]);
    });
  });

describe("the documentation", () => {
  it("contains the table of differences", async () => {
    const text = await readFile(join(root, "docs/management-api.md"), "utf8");
    const [, section = ""] = text.split("### Deliberate differences from One Hub");
    const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) =>
      row.split(/ +\| +/).map((cell) => cell.trim()),
    );
    const [, , ...documented] = rows;
    expect(documented).toEqual(differences.map(({ call, oneHub, here }) => [call, oneHub, here]));
  });
});
