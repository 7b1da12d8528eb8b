import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Database } from "#platform/database/db.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { managementApi } from "../management-api.ts";
import { freePort, startLogging, stopAll } from "../processes.ts";
import { type Recorder, startRecorder } from "./recorder.ts";
import { unpricedModels, upstreamChannels, upstreams } from "./upstream-kinds.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "./upstream.ts";

/** A gateway with a channel for each kind of upstream, and a recorder before it. */
export interface World {
  /** Address for clients, that of the recorder. */
  url: string;
  key: string;
  upstream: ScriptedUpstream;
  recorder: Recorder;
  database: Database;
  /** Folder for workspaces and home folders. */
  folder: string;
}

const accessToken = "matrix-access-token-matrix-access-token";

const plenty = 1_000_000_000;

export async function createWorld(): Promise<World & { close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-matrix-"));
  await chmod(folder, 0o755);
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const upstream = await startScriptedUpstream();
    closers.push(() => upstream.close());
    const data = join(folder, "data");
    await mkdir(data);
    const postgres = await startEmbeddedPostgres({ dataDir: data, log: () => undefined });
    closers.push(() => postgres.stop());
    const port = await freePort();
    const gateway = `http://127.0.0.1:${port}`;
    const env = {
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      DATA_DIR: data,
      DATABASE_URL: postgres.url,
      ROOT_USERNAME: "matrix",
      ROOT_PASSWORD: "matrix-password-1",
      ROOT_ACCESS_TOKEN: accessToken,
      DEMO_UPSTREAM: "0",
      LOG_LEVEL: "warn",
    };
    const ready = new Request(`${gateway}/api/user/self`, { headers: { authorization: accessToken } });
    await startLogging([join(import.meta.dirname, "../../src/main.ts")], env, folder, "gateway", ready);
    closers.push(stopAll);
    const recorder = await startRecorder(gateway);
    closers.push(() => recorder.close());
    const database = connect(postgres.url, { max: 2 });
    closers.push(() => database.close());

    const api = managementApi(gateway, accessToken);
    for (const kind of upstreams) await api("POST", "/channel", upstreamChannels[kind](upstream.url));
    const { rows } = await database.pool.query<{ id: number }>("SELECT id FROM users ORDER BY id LIMIT 1");
    await api("POST", `/user/quota/${rows[0]?.id}`, { quota: plenty, remark: "matrix" });
    for (const model of unpricedModels)
      await api("POST", "/prices/single", { model, type: "tokens", channel_type: 1, input: 1, output: 4 });
    const { key } = await api<{ key: string }>("POST", "/token", {
      name: "matrix",
      unlimited_quota: true,
    });
    return { url: recorder.url, key, upstream, recorder, database, folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}
