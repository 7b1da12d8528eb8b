import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";
import { aiSdkClients } from "../../bench/matrix/clients/ai-sdk.ts";
import { type Recorder, startRecorder } from "../../bench/matrix/recorder.ts";
import { runScenario } from "../../bench/matrix/scenarios.ts";
import { unpricedModels, upstreamChannels, upstreams } from "../../bench/matrix/upstream-kinds.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../../bench/matrix/upstream.ts";

/** The part of `pnpm verify:clients` that needs no program from npm: the Vercel AI SDK at every kind of upstream. */
let gateway: TestGateway;
let upstream: ScriptedUpstream;
let recorder: Recorder;
let folder: string;
let key: string;

beforeAll(async () => {
  [gateway, upstream] = await Promise.all([startTestGateway(), startScriptedUpstream()]);
  recorder = await startRecorder(gateway.url);
  folder = await mkdtemp(join(tmpdir(), "gateway-matrix-test-"));
  for (const kind of upstreams) await gateway.addChannel(upstreamChannels[kind](upstream.url));
  for (const model of unpricedModels) await gateway.addPrice(model);
  ({ key } = await gateway.addToken());
});
afterAll(async () => {
  await recorder.close();
  await gateway.stop();
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

const tested = ["ai-sdk-chat", "ai-sdk-responses", "ai-sdk-messages-whole", "ai-sdk-gemini"];
const cells = aiSdkClients
  .filter(({ id }) => tested.includes(id))
  .flatMap((client, row) =>
    // Each client at two kinds of upstream, each of these with at least one client; the rest in the nightly run.
    upstreams.map((kind, column) => ({
      client,
      kind,
      isNightly: nightly((row + column) % upstreams.length > 1),
    })),
  );

for (const { client, kind, isNightly } of cells)
  it(
    `the Vercel AI SDK (${client.speaks}) reads, edits, runs and finishes at ${kind}`,
    isNightly,
    async () => {
      const { database } = gateway;
      const world = { url: recorder.url, key, upstream, recorder, database, folder };
      expect((await runScenario(world, client, process.execPath, kind, "task")).wrong).toEqual([]);
    },
  );

for (const kind of upstreams)
  it(
    `a cancelled answer is charged for what was delivered at ${kind}`,
    nightly(kind !== "anthropic"),
    async () => {
      const { database } = gateway;
      const world = { url: recorder.url, key, upstream, recorder, database, folder };
      const [client] = aiSdkClients;
      expect((await runScenario(world, client!, process.execPath, kind, "cancel")).wrong).toEqual([]);
    },
  );
