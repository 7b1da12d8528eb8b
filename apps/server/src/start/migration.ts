import { type Comparisons, createComparisons } from "#migration/compare/comparisons.ts";
import { createImportRunner, type ImportRunner } from "#migration/runner.ts";
import type { Database } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Context } from "./context.ts";
import type { Part } from "./parts.ts";
import type { Postgres } from "./postgres.ts";

/** Imports of other gateways that the console starts. */
export const imports: Part<Context & Postgres & { database: Database; secrets: Secrets }, ImportRunner> = {
  name: "imports",
  open: ({ database: { db }, secrets, databaseUrl, dataDir, onError }) =>
    createImportRunner({ db, secrets, databaseUrl, dataDir, onError }),
  close: (opened) => opened.close(),
};

/** Comparisons with an old gateway that the console starts. */
export const comparisons: Part<Context & { database: Database }, Comparisons> = {
  name: "comparisons",
  open: ({ database: { db, pool }, onError }) => createComparisons({ db, pool, onError }),
  close: (opened) => opened.close(),
};
