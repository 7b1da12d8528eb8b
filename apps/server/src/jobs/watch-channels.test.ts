import type { ChannelRow } from "@gateway/shared/channels/channel";
import type { Settings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import type { ChannelRunner } from "#domain/channels/runs/runner.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";
import { type NoticeReceiver, startNoticeReceiver } from "#test/notice-receiver.ts";
import type { JobServices } from "./job.ts";
import { tellOperators } from "./tell-operators.ts";
import { watchChannels } from "./watch-channels.ts";

let site: TestConsole;
let receiver: NoticeReceiver;
let root: Browser;

beforeAll(async () => {
  site = await buildConsole();
  receiver = await startNoticeReceiver();
  root = await site.as(await site.makeUser({ role: 100 }));
});
beforeEach(async () => {
  const { db } = site.services;
  await db.channelRun.deleteMany();
  await db.channel.deleteMany();
  await db.notice.deleteMany();
  receiver.posts.length = 0;
  site.upstream.calls.length = 0;
  site.upstream.ok = true;
  await set({
    ChannelTestFrequency: 30,
    ChannelUpdateFrequency: 0,
    AutomaticDisableChannelEnabled: true,
    AutomaticEnableChannelEnabled: true,
    NotifyWebhookAddress: receiver.url,
    NotifyWebhookEnabled: true,
    Language: "en_US",
  });
});
afterAll(async () => {
  await site.close();
  await receiver.close();
});

const set = (settings: Partial<Settings>) => site.services.settings.change(systemActor, settings);

async function create(name: string, values: object = {}): Promise<ChannelRow> {
  const channel = { type: 1, name, key: "sk-a-key", models: ["gpt-4o"], groups: ["default"], ...values };
  return (await root.send<ChannelRow>("POST", "/api/channel", channel)).body.data;
}
const read = async (id: number) => (await root.get<ChannelRow>(`/api/channel/${id}`)).body.data;

/** The services that these jobs use. */
function jobServices(): JobServices {
  const { db, mailer, post, runner, settings } = site.services;
  const onError = (error: unknown) => {
    throw error;
  };
  const telling = { db, mailer, post, settings: () => settings.current() };
  return { db, runner, telling, onError, probe: { settings } } as unknown as JobServices;
}

/** Waits until no run is active. Returns the number of runs. */
async function runs(): Promise<number> {
  const { db } = site.services;
  await expect.poll(() => db.channelRun.count({ where: { status: "running" } })).toBe(0);
  return db.channelRun.count();
}

/** Runs the job once and waits for the run it started. Returns the number of runs. */
async function tick(): Promise<number> {
  await watchChannels.run(jobServices());
  return runs();
}

/** Makes the last scheduled run this many minutes older. */
const age = (minutes: number) =>
  site.services.db.channelRun.updateMany({
    data: { created_time: new Date(Date.now() - minutes * 60_000) },
  });

const requested = () => site.upstream.calls.map(({ channel }) => channel.name).sort();

describe("watchChannels", () => {
  it("sends no requests unless the operator enables it", async () => {
    await set({ ChannelTestFrequency: 0 });
    await create("One");
    expect(await tick()).toBe(0);
    expect(requested()).toEqual([]);
  });

  it("tests enabled and automatically disabled channels, but none that a person disabled", async () => {
    await create("on");
    const fallen = await create("fallen");
    const resting = await create("resting");
    const gone = await create("gone");
    await site.services.db.channel.update({ where: { id: fallen.id }, data: { status: 3 } });
    await root.send("PATCH", `/api/channel/${resting.id}`, { status: 2 });
    await root.send("DELETE", `/api/channel/${gone.id}`);
    expect(await tick()).toBe(1);
    expect(requested()).toEqual(["fallen", "on"]);
    expect(await site.services.db.channelRun.findFirst()).toMatchObject({ kind: "test", user_id: null });
    expect((await read(fallen.id)).status).toBe(1);
    expect((await read(resting.id)).status).toBe(2);
  });

  it("waits for the operator's interval, whatever runs people start", async () => {
    await create("One");
    expect(await tick()).toBe(1);
    expect(await tick()).toBe(1);
    await age(29);
    expect(await tick()).toBe(1);
    await root.send("POST", "/api/channel/run", { kind: "test" });
    expect(await runs()).toBe(2);
    await age(31);
    expect(await tick()).toBe(3);
  });

  it("starts one run for any number of nodes, and none beside a person's run", async () => {
    await create("One");
    await Promise.all([1, 2, 3].map(() => watchChannels.run(jobServices())));
    expect(await tick()).toBe(1);
    const { db, runner } = site.services;
    await age(31);
    // A slow node starts its run after another node's run has begun and ended.
    const late: ChannelRunner = {
      ...runner,
      async start(...run) {
        expect(await tick()).toBe(2);
        return runner.start(...run);
      },
    };
    await watchChannels.run({ ...jobServices(), runner: late });
    expect(await runs()).toBe(2);
    await age(31);
    await db.channelRun.create({ data: { kind: "test", user_id: 1 } });
    await watchChannels.run(jobServices());
    expect(await db.channelRun.count()).toBe(3);
    await db.channelRun.updateMany({ data: { status: "done" } });
  });

  it("works without channels, and refreshes balances at their own interval", async () => {
    expect(await tick()).toBe(0);
    await set({ ChannelTestFrequency: 0, ChannelUpdateFrequency: 5 });
    const { id } = await create("One", { base_url: "https://provider.example" });
    expect(await tick()).toBe(1);
    expect(await read(id)).toMatchObject({ balance: 12.5, balance_currency: "CNY" });
    expect(requested()).toEqual([]);
  });
});

describe("notifications of administrators", () => {
  const titles = () => receiver.posts.map(({ body }) => (JSON.parse(body) as { title: string }).title);
  /** Makes the events old enough to be reported, as a minute later. */
  async function tell(): Promise<void> {
    await site.services.pool.query(
      "UPDATE channel_events SET created_time = created_time - interval '10 seconds'",
    );
    await tellOperators.run(jobServices());
    await tellOperators.run(jobServices());
  }

  it("report once that a channel was disabled and once that it is enabled, but no changes of administrators", async () => {
    const { id } = await create("Flaky");
    await tell();
    expect(titles()).toEqual([]);

    site.upstream.ok = false;
    await tick();
    expect(await read(id)).toMatchObject({ status: 3 });
    await tell();
    await age(31);
    await tick();
    await tell();
    expect(titles()).toEqual(["Channel “Flaky” was disabled"]);

    site.upstream.ok = true;
    await age(31);
    await tick();
    await tell();
    await root.send("PATCH", `/api/channel/${id}`, { status: 2 });
    await tell();
    expect(titles()).toEqual(["Channel “Flaky” was disabled", "Channel “Flaky” is enabled again"]);
  });

  it("report once when a channel changes repeatedly within the quiet period", async () => {
    await create("Restless");
    for (let round = 0; round < 3; round += 1)
      for (const ok of [false, true]) {
        site.upstream.ok = ok;
        await age(31);
        await tick();
        await tell();
      }
    expect(titles()).toHaveLength(2);
    expect(
      await site.services.db.notice.findMany({ select: { repeats: true }, orderBy: { id: "asc" } }),
    ).toEqual([{ repeats: 2 }, { repeats: 2 }]);
  });

  it("are not sent, and no channel is disabled, when the operator disables both", async () => {
    await set({ AutomaticDisableChannelEnabled: false });
    const { id } = await create("Left");
    const kept = await create("Kept", { auto_disable: false });
    site.upstream.ok = false;
    await tick();
    await set({ AutomaticDisableChannelEnabled: true });
    await root.send("PATCH", `/api/channel/${id}`, { status: 2 });
    await age(31);
    await tick();
    await tell();
    expect((await read(kept.id)).status).toBe(1);
    expect(titles()).toEqual([]);
  });
});
