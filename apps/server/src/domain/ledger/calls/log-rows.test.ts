import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callOf, reservation } from "#domain/ledger/accounts.fixture.ts";
import { type Database, types } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { runs } from "#test/property-runs.ts";
import { logColumns } from "./call-record.ts";
import { createLogRowFormat, joinRows, type LogRowJson, rowOf } from "./log-rows.ts";

const logRows = createLogRowFormat();
let database: Database;
let client: pg.Client;

beforeAll(async () => {
  database = await openTestDatabase({ max: 2 });
  client = new pg.Client({ connectionString: database.url, types });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.close();
});

const row = (over: Partial<LogRowJson> = {}): LogRowJson => ({
  ...rowOf(callOf(reservation({ userId: 1, tokenId: 2 }, 100n), 60n)),
  ...over,
});

async function read(rows: LogRowJson[]): Promise<Record<string, unknown>[]> {
  const found = await client.query<{ row: Record<string, unknown> }>(
    `SELECT to_jsonb(r) AS row FROM unnest(string_to_array($1, E'\\x1E')::request_logs[]) AS r`,
    [joinRows(rows.map(logRows.format))],
  );
  return found.rows.map((each) => each.row);
}

describe("rows of calls", () => {
  it("have the columns of the table after its ID, in its order", async () => {
    const { rows } = await client.query<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
       WHERE attrelid = 'request_logs'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    );
    const columns = Object.entries(logColumns).map(([name, { type }]) => [name, type]);
    expect(rows.map(({ name, type }) => [name, type])).toEqual([["id", "bigint"], ...columns]);
  });

  it("arrive with every value, and none for an empty list", async () => {
    const full = row({
      bill: { lines: [{ kind: "in,put", text: 'a "b" \\ (c)' }] },
      session: { id: "s" },
      content: "",
    });
    const { cached_tokens: _, held_in_part: __, ...columns } = full;
    const [found] = await read([full]);
    expect(found).toEqual({ ...columns, id: null, quota: 60, created_at: expect.anything() });
    expect(new Date(String(found?.["created_at"])).toISOString()).toBe(full.created_at);
    expect(await read([])).toEqual([]);
  });

  it("keep any text that the log can store", async () => {
    const stored = fc
      .string({ unit: "grapheme", maxLength: 40 })
      .filter((text) => !text.includes("\0") && !text.includes("\x1E"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: stored, fact: stored }), { maxLength: 4 }),
        async (texts) => {
          const rows = texts.map(({ text, fact }) =>
            row({
              content: text,
              model_name: `,${text}`,
              bill: { [fact]: text },
              error_code: `\\${fact}"`,
            }),
          );
          const found = await read(rows);
          expect(found).toMatchObject(
            rows.map(({ content, model_name, bill, error_code }) => ({
              content,
              model_name,
              bill,
              error_code,
            })),
          );
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it("are not split by the separator in a value", async () => {
    const found = await read([row({ content: "one\x1Etwo", bill: { text: "one\x1Etwo" } }), row()]);
    expect(found).toMatchObject([{ content: "one two", bill: { text: "one\x1Etwo" } }, { content: "" }]);
  });
});
