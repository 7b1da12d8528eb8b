/** The same calls in the log of this gateway and in those of other products. */
import type { ComparisonReport } from "@gateway/shared/site/comparison";
import { expect } from "vitest";
import { newApiColumns } from "#migration/products/new-api/columns.ts";
import { oneApiColumns } from "#migration/products/one-api/columns.ts";
import { oneHubColumns } from "#migration/products/one-hub/columns.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { installedDatabase } from "#test/database.ts";
import type { Mariadb } from "#test/mariadb.ts";
import { cli } from "./cli.ts";
import { foreignDatabase } from "./foreign-database.ts";
import type { SourceKind } from "./import-cases.ts";

export const calls = 25;
export const accessToken = "token-of-the-old-account";

let place: Awaited<ReturnType<typeof installedDatabase>>;
let database: Database;
let channel: number;
/** When the first call began; each one began a minute after the one before. */
const start = Math.floor(Date.now() / 1_000) - 7_200;

/** Opens a gateway's database with these calls in its log. */
export async function openComparison(): Promise<void> {
  place = await installedDatabase();
  database = connect(place.url, { max: 2 });
  ({ id: channel } = await database.db.channel.create({ data: { name: "Old gateway", type: 1 } }));
  for (let number = 1; number <= calls; number += 1)
    await database.pool.query(
      `INSERT INTO request_logs (request_id, created_at, user_id, type, channel_id, model_name, prompt_tokens,
         completion_tokens, quota, attempts)
       VALUES ($1, to_timestamp($2), 1, 2, $3, 'm', 10, 5, $4, $5)`,
      [
        `here-${number}`,
        start + number * 60,
        channel,
        number * 500,
        JSON.stringify([{ channel_id: channel, result: "ok", upstream_request_id: `there-${number}` }]),
      ],
    );
}

/** Ends what `openComparison` began. */
export async function closeComparison(): Promise<void> {
  await database.close();
  await place.drop();
}

/** Tokens are the same in all rows, so that only time or request id finds a row. The last one costs 1,000 points more. */
export const rows = (fields: (number: number) => object, lateSeconds = 0) =>
  Array.from({ length: calls }, (_, index) => {
    const number = index + 1;
    return {
      id: number,
      user_id: 7,
      created_at: start + number * 60 + lateSeconds,
      type: 2,
      username: "root",
      token_name: "bridge",
      model_name: "m",
      prompt_tokens: 10,
      completion_tokens: 5,
      quota: number * 500 + (number === calls ? 1_000 : 0),
      ...fields(number),
    };
  });

/** Half an hour late: without the ids none of these rows would be found, or a wrong one. */
export const late = 1_800;
export const products = {
  "one-hub": {
    columns: oneHubColumns,
    logs: rows(() => ({ metadata: "{}" })),
    byId: 0,
  },
  "new-api": {
    columns: newApiColumns,
    logs: rows((number) => ({ request_id: `there-${number}`, other: "{}" }), late),
    byId: calls,
  },
  "one-api": {
    columns: oneApiColumns,
    logs: rows((number) => ({ request_id: `there-${number}` }), late),
    byId: calls,
  },
};
export type Id = keyof typeof products;
export const ids = Object.keys(products) as Id[];

export async function compare(product: string, ...args: string[]): Promise<ComparisonReport> {
  const run = await cli(
    place.url,
    "compare",
    product,
    "--channel",
    String(channel),
    "--key-name",
    "bridge",
    "--window",
    "20",
    "--json",
    ...args,
  );
  expect(run.exitCode, run.err).toBe(1);
  return run.json() as ComparisonReport;
}

export const expectedReport = (byId: number) => ({
  calls: { compared: calls, equal: calls - 1, deviating: 1, ambiguous: 0, missing_here: 0, missing_there: 0 },
  matched_by_id: byId,
  deviations: [
    { kind: "charge", here: { id: `here-${calls}`, charge: "12500" }, source: { charge: "13500" } },
  ],
});

/** Expects that a product's log in a database system has the calls of this gateway, except one. */
export async function expectSameCalls(kind: SourceKind, id: Id, mariadb?: Mariadb): Promise<void> {
  const { columns, logs, byId } = products[id];
  const source = await foreignDatabase(kind, columns, { logs }, mariadb);
  try {
    expect(await compare(id, "--from", source.from)).toMatchObject(expectedReport(byId));
  } finally {
    await source.remove();
  }
}
