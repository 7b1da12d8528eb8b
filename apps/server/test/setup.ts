import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { startThrowAwayPostgres, startThrowAwayRedis } from "./services.ts";

/** Once per test run: the services every test file shares, and the database every test file gets a copy of. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startThrowAwayRedis();
  try {
    const postgres = await startThrowAwayPostgres();
    try {
      await makeTemplate(postgres.url);
    } catch (error) {
      await postgres.stop();
      throw error;
    }
    project.provide("postgresUrl", postgres.url);
    project.provide("redisUrl", redis.url);
    return async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
    };
  } catch (error) {
    await redis.stop();
    throw error;
  }
}

async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE DATABASE template");
  await client.end();
  const template = new URL(url);
  template.pathname = "/template";
  await migrate(template.href, migrationsFolder);
}
