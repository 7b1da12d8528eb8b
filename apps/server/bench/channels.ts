/**
 * Cost of thousands of channels: selecting one, applying a change of one, reading all, and a page of the
 * list. It uses a real temporary Postgres. Every channel offers every model, which is the most expensive
 * case. Finally the list is opened in a browser, with a gateway on that database.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { ChannelQuery } from "@gateway/shared/channels/channel";
import { createHealth } from "#domain/channels/health/health.ts";
import { createKeyReferences } from "#domain/channels/key-references/key-references.ts";
import { listChannels } from "#domain/channels/list-channels.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { createCandidates } from "#domain/channels/selection/candidates.ts";
import { channelKeyContext } from "#domain/channels/selection/load-channels.ts";
import { pick } from "#domain/channels/selection/pick.ts";
import { connect } from "#platform/database/db.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { createKeyReader } from "#platform/key-sources/read-key.ts";
import { openSecrets } from "#platform/secrets.ts";
import { openProviders } from "#providers/registry.ts";
import { runToEnd, stopAll } from "./processes.ts";

const CHANNELS = 5_000;
const MODELS = 200;
const PICKS = 200_000;
const CHANGES = 50;

const folder = await mkdtemp(join(tmpdir(), "gateway-bench-channels-"));
// Postgres runs as another user when this process is root.
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
await migrate(postgres.url, migrationsFolder);
const { db, pool, close } = connect(postgres.url);
const secret = "a secret that only this measurement knows";
const secrets = openSecrets(secret);
const lines: [string, string][] = [];

async function seed(): Promise<void> {
  await pool.query(
    `INSERT INTO channels (type, name, priority, weight, base_url)
     SELECT 8, 'channel ' || i, i % 3, 1 + i % 5, 'http://127.0.0.1:9' FROM generate_series(1, $1) AS i`,
    [CHANNELS],
  );
  await pool.query(
    `INSERT INTO channel_models (channel_id, model, position)
     SELECT id, 'model-' || m, m FROM channels, generate_series(1, $1) AS m`,
    [MODELS],
  );
  await pool.query(`INSERT INTO channel_groups (channel_id, "group") SELECT id, 'default' FROM channels`);
  const { rows } = await pool.query<{ id: number }>("SELECT id FROM channels");
  await db.channelKey.createMany({
    data: rows.map(({ id }) => ({
      channel_id: id,
      key_encrypted: secrets.encrypt(`key-${id}`, channelKeyContext(id)),
      key_hash: secrets.hash(`key-${id}`),
      key_hint: "key",
    })),
  });
  await pool.query("ANALYZE");
}

/** Changes some channels so that every filter matches something. */
async function vary(): Promise<void> {
  await pool.query(`
    UPDATE channels SET tag = CASE WHEN id % 50 = 0 THEN 'lab' ELSE '' END,
      status = CASE WHEN id % 40 = 0 THEN 3 ELSE 1 END, type = CASE WHEN id % 25 = 0 THEN 14 ELSE 8 END`);
  await pool.query(
    `INSERT INTO channel_groups (channel_id, "group") SELECT id, 'vip' FROM channels WHERE id % 20 = 0`,
  );
  await pool.query("VACUUM ANALYZE");
}

/** Runs `work`, and prints its duration and the longest time that it blocked the process. */
async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begun = performance.now();
  await work();
  const took = performance.now() - begun;
  delay.disable();
  lines.push([name, `${took.toFixed(1)} ms, the longest pause ${(delay.max / 1e6).toFixed(1)} ms`]);
}

function measurePicks(name: string, list: readonly ActiveChannel[], usable: (one: ActiveChannel) => boolean) {
  const wanted = { model: "model-1", stream: true, tools: false, tried: new Set<number>(), usable };
  for (let warm = 0; warm < 2_000; warm += 1) pick(list, wanted, Math.random);
  const begun = performance.now();
  for (let round = 0; round < PICKS; round += 1) pick(list, wanted, Math.random);
  lines.push([name, `${(((performance.now() - begun) / PICKS) * 1_000).toFixed(2)} µs`]);
}

const reader = createKeyReader(
  { variables: new Map(), keysDir: undefined, vault: undefined, azureWorkload: undefined },
  { now: Date.now },
);
const keyReferences = createKeyReferences({ reader, now: Date.now, onChange: () => undefined });
const read = { db, secrets, providers: openProviders(), keyReferences };

try {
  await seed();
  let candidates = await createCandidates(read);
  await timed("read all channels", async () => {
    candidates = await createCandidates(read);
  });
  const list = candidates.find("default", "model-1");
  const health = createHealth(db, { onError: () => undefined });
  measurePicks("choose one of them", list, (one) => health.usable(one, "model-1", 1));
  for (const channel of list.filter(({ id }) => id % 4 === 0))
    health.failed(
      { channel, key: channel.keys[0] },
      "model-1",
      { kind: "server", status: 500, message: "" },
      { account: 1, cooldownSeconds: 3_600, mayDisable: false },
    );
  measurePicks("choose while a quarter is frozen", list, (one) => health.usable(one, "model-1", 1));
  const ids = list.slice(0, CHANGES).map(({ id }) => id);
  await timed(`take in ${CHANGES} changes of one, each by itself`, async () => {
    for (const id of ids) {
      await pool.query("UPDATE channels SET priority = 9 - priority WHERE id = $1", [id]);
      await candidates.changed(id);
    }
  });
  const page = (filter: { group?: string; model?: string }) =>
    listChannels(
      { db, secrets },
      { ...ChannelQuery.parse(filter), skip: 0, take: 20, orderBy: [{ id: "desc" }] },
    );
  await page({});
  await timed("a page of the list", () => page({}));
  await timed("a page of one group", () => page({ group: "default" }));
  await timed("a page of those that offer a model", () => page({ model: "model-7" }));
  console.log(`${CHANNELS} channels with ${MODELS} models each`);
  for (const [name, value] of lines) console.log(`  ${name.padEnd(46)} ${value}`);
  await vary();
  const screen = join(import.meta.dirname, "../../web/e2e/many-channels.ts");
  process.stdout.write(await runToEnd([screen, postgres.url, secret, String(CHANNELS)], folder, "screen"));
} finally {
  await stopAll();
  await close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
