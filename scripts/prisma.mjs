// Runs prisma generate, and replaces `prisma migrate diff`, whose engine would have to be downloaded.
//   node scripts/prisma.mjs generate        writes the client to apps/server/src/platform/prisma
//   node scripts/prisma.mjs diff <name>     writes a migration from the last one to prisma/schema
//   node scripts/prisma.mjs diff --check    fails when migrations and prisma/schema disagree
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fail, node24, root } from "./steps.mjs";

const [command, argument] = process.argv.slice(2);

if (command === "generate") generate();
else if (command === "diff" && argument !== undefined) await diff(argument);
else fail("Say what to do: generate, diff <name>, or diff --check.");

function generate() {
  const result = spawnSync(
    node24(),
    [join(root, "apps/server/node_modules/prisma/build/index.js"), "generate", "--no-hints"],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      // Without it Prisma downloads a schema engine, which generating does not need.
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: node24(),
        PRISMA_HIDE_UPDATE_MESSAGE: "1",
        CHECKPOINT_DISABLE: "1",
      },
    },
  );
  if (result.status !== 0) fail(`prisma generate failed.\n${result.stdout}${result.stderr}`);
}

async function diff(name) {
  // Node runs the server's TypeScript without a build from version 24 on.
  if (Number(process.versions.node.split(".")[0]) < 24) {
    const again = spawnSync(node24(), [fileURLToPath(import.meta.url), "diff", name], { stdio: "inherit" });
    process.exit(again.status ?? 1);
  }
  const sql = await difference();
  if (name === "--check") {
    if (sql !== "") fail(`The migrations and prisma/schema differ. Run: pnpm db:diff <name>\n\n${sql}`);
    console.log("The migrated database and prisma/schema agree.");
    return;
  }
  if (!/^[a-z0-9_]+$/.test(name)) fail("Name the migration in lower case with underscores, e.g. add_tasks.");
  if (sql === "") {
    console.log("Nothing to do: the migrations and prisma/schema agree.");
    return;
  }
  const stamp = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
  const folder = join(root, "prisma/migrations", `${stamp}_${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "migration.sql"), `${sql}\n`);
  console.log(`Wrote prisma/migrations/${stamp}_${name}/migration.sql. Read it before you commit it.`);
}

/** Migrates a temporary database and compares it with the schema. */
async function difference() {
  // The engine is WebAssembly, for which Node prints an experimental warning.
  process.removeAllListeners("warning");
  const { migrate, migrationsFolder } = await import("../apps/server/src/platform/database/migrate.ts");
  const { startThrowAwayPostgres } = await import("../apps/server/test/run/services.ts");
  const { differenceToSchema } = await import("../apps/server/test/schema-diff.ts");
  const postgres = await startThrowAwayPostgres();
  try {
    await migrate(postgres.url, migrationsFolder);
    return await differenceToSchema(postgres.url);
  } finally {
    await postgres.stop();
  }
}
