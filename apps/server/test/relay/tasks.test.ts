import { createServer, type Server } from "node:http";
import type { MidjourneyRow, TaskRow } from "@gateway/shared/channels/task";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { credit } from "#domain/ledger/balances/credit.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { createSettings } from "#domain/settings/settings.ts";
import { giveUp, markCharged } from "#domain/tasks/tasks.ts";
import { createUpstreamClient } from "#platform/http/http.ts";
import { postToPublic } from "#platform/http/public-fetch.ts";
import { openSecrets } from "#platform/secrets.ts";
import { demo } from "#providers/definitions/demo.ts";
import { openProviders } from "#providers/registry.ts";
import { pollTasks, type TaskWatch } from "#relay/tasks/poll-tasks.ts";
import { tellAgain } from "#relay/tasks/tell-clients.ts";
import { startTestGateway, testSecretKey, type TestGateway } from "#test/gateway.ts";
import { testKeyReferences } from "#test/key-references.ts";
import { startScriptedServer } from "#test/scripted-servers.ts";

/** Songs, videos and images from the submission to the end, and their cost. */
let gateway: TestGateway;
let key: string;
let watch: TaskWatch;
const upstream = createUpstreamClient();
const reported: unknown[] = [];
/** Status that the callback address returns. */
let hookStatus = 200;
let listener: Server;
let hook: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const { db } = gateway.database;
  await gateway.addChannel({ type: 41, name: "songs", models: ["suno_lyrics", "chirp-v3-0", "chirp-v4"] });
  await gateway.addChannel({ type: 53, name: "videos", models: ["kling-video_v1_std_5"], key: "ak|sk" });
  await gateway.addChannel({
    type: 34,
    name: "pictures",
    models: ["mj_imagine", "mj_upscale", "mj_turbo_imagine"],
  });
  key = (await gateway.addToken()).key;
  const secrets = openSecrets(testSecretKey);
  watch = {
    db,
    secrets,
    settings: await createSettings(db, secrets),
    upstream,
    keyReferences: testKeyReferences(),
    providers: openProviders().set(900, demo(gateway.upstream.url)),
    post: (address, body, headers) => postToPublic(address, body, headers, { mayReach: () => true }),
    onError: (error) => {
      throw error;
    },
  };
  listener = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      reported.push(JSON.parse(Buffer.concat(parts).toString("utf8")));
      response.statusCode = hookStatus;
      response.end();
    })();
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, "127.0.0.1", resolve);
  });
  hook = `http://127.0.0.1:${(listener.address() as { port: number }).port}/hook`;
});
afterAll(async () => {
  listener.close();
  await upstream.close();
  await gateway.stop();
});
beforeEach(() => {
  gateway.upstream.control.reset();
});

interface Spoken {
  status: number;
  body: Record<string, unknown> & { data: unknown; result: string; code: unknown; message: string };
}

async function ask(method: string, path: string, body?: unknown, withKey = key): Promise<Spoken> {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { authorization: `Bearer ${withKey}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Spoken["body"] };
}

const rounds = async (count: number) => {
  for (let round = 0; round < count; round += 1) await pollTasks(watch, 0);
};
const balance = async () => {
  await bookCharges(gateway.database.db);
  const user = await gateway.database.db.user.findFirstOrThrow({ where: { username: "root" } });
  return Number(user.quota);
};
const listed = async (query = "") =>
  (await gateway.api<{ data: TaskRow[] }>("GET", `/task/self?${query}`)).data;

describe("a song", () => {
  it("is charged when it is accepted, continues while the provider works, and ends with its clips", async () => {
    const before = await balance();
    const requested = await ask("POST", "/suno/submit/music", {
      gpt_description_prompt: "A song about boats",
      mv: "chirp-v4",
      notify_hook: hook,
    });
    expect(requested).toMatchObject({ status: 200, body: { code: "success" } });
    expect(gateway.upstream.calls().at(-1)?.body).toEqual({
      gpt_description_prompt: "A song about boats",
      mv: "chirp-v4",
    });
    const id = String(requested.body.data);
    expect(before - (await balance())).toBe(50_000);

    await rounds(1);
    expect((await ask("GET", `/suno/fetch/${id}`)).body.data).toMatchObject({ status: "SUBMITTED" });
    await rounds(1);
    expect((await ask("GET", `/suno/fetch/${id}`)).body.data).toMatchObject({ progress: "50%" });
    await rounds(1);
    const done = (await ask("POST", "/suno/fetch", { ids: [id] })).body.data;
    expect(done).toMatchObject([
      { task_id: id, action: "MUSIC", status: "SUCCESS", progress: "100%", data: [{ user_id: "" }, {}] },
    ]);
    expect(reported.at(-1)).toMatchObject({ task_id: id, status: "SUCCESS" });
    const [row] = await listed(`task_id=${id}`);
    expect(row).toMatchObject({
      platform: "suno",
      status: "SUCCESS",
      quota: 50_000,
      refunded: false,
      model: "chirp-v4",
      prompt: "A song about boats",
      channel_id: 0,
    });
    const [call] = await gateway.logs();
    expect(call).toMatchObject({ endpoint: "/suno/submit/music", model_name: "chirp-v4", quota: 50_000 });
    expect(await gateway.drift()).toBe(0n);
  });

  it("ends although another task of its key cannot be stored", async () => {
    const errors: unknown[] = [];
    const make = async () => {
      const made = await ask("POST", "/suno/submit/music", { prompt: "A song", mv: "chirp-v4" });
      return String(made.body.data);
    };
    const [broken, ended] = [await make(), await make()];
    const { pool } = gateway.database;
    await pool.query(`CREATE FUNCTION refuse_task() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.task_id = '${broken}' THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$`);
    await pool.query(
      "CREATE TRIGGER refuse_task BEFORE UPDATE OF status ON tasks FOR EACH ROW EXECUTE FUNCTION refuse_task()",
    );
    try {
      const noted = { ...watch, onError: (error: unknown) => errors.push(error) };
      for (let round = 0; round < 4; round += 1) await pollTasks(noted, 0);
      expect((await ask("GET", `/suno/fetch/${ended}`)).body.data).toMatchObject({ status: "SUCCESS" });
      expect(errors.length).toBeGreaterThan(0);
    } finally {
      await pool.query("DROP TRIGGER refuse_task ON tasks");
    }
    await rounds(3);
    expect((await ask("GET", `/suno/fetch/${broken}`)).body.data).toMatchObject({ status: "SUCCESS" });
  });

  it("sends no callback where the operator does not want to reveal this server", async () => {
    const requested = await ask("POST", "/suno/submit/music", {
      gpt_description_prompt: "A quiet song",
      mv: "chirp-v4",
      notify_hook: hook,
    });
    const quiet = { ...watch.settings.current(), MjNotifyEnabled: false };
    for (let round = 0; round < 3; round += 1)
      await pollTasks({ ...watch, settings: { current: () => quiet } }, 0);
    // Also not later, when the operator changes the setting.
    await tellAgain(watch, new Date(Date.now() + 60_000));
    const id = String(requested.body.data);
    expect((await ask("GET", `/suno/fetch/${id}`)).body.data).toMatchObject({ status: "SUCCESS" });
    expect(reported).not.toContainEqual(expect.objectContaining({ task_id: id }));
  });

  it("whose callback fails is retried with growing delays by one of the nodes, and finally given up", async () => {
    const { db } = gateway.database;
    const requested = await ask("POST", "/suno/submit/music", {
      gpt_description_prompt: "A song for deaf ears",
      mv: "chirp-v4",
      notify_hook: hook,
    });
    const id = String(requested.body.data);
    const row = () => db.task.findFirstOrThrow({ where: { task_id: id } });
    const times = () => reported.filter((task) => (task as { task_id?: string }).task_id === id).length;
    hookStatus = 503;
    try {
      await rounds(3);
      expect(times()).toBe(1);
      const pauses: number[] = [];
      let now = Date.now();
      for (let tries = 1; tries <= 7; tries += 1) {
        const { notify_at, notify_count } = await row();
        expect(notify_count).toBe(tries);
        const next = notify_at?.getTime() ?? 0;
        pauses.push(Math.round((next - now) / 10_000) * 10);
        await tellAgain(watch, new Date(next - 1));
        expect(times()).toBe(tries);
        now = next;
        await Promise.all([0, 1, 2].map(() => tellAgain(watch, new Date(next))));
      }
      expect(pauses).toEqual([30, 120, 600, 1_800, 7_200, 21_600, 43_200]);
      expect(times()).toBe(8);
      expect(await row()).toMatchObject({ notify_at: null, notify_count: 8 });
      hookStatus = 204;
      const far = new Date(Date.now() + 86_400_000);
      await db.task.updateMany({ where: { task_id: id }, data: { notify_at: far, notify_count: 1 } });
      await tellAgain(watch, far);
      expect(await row()).toMatchObject({ notify_at: null, notify_count: 2 });
    } finally {
      hookStatus = 200;
    }
  });

  it("has the deadline that the operator configures", async () => {
    await gateway.api("PUT", "/option/batch", { values: { TaskDeadlineMinutes: 7 } });
    const { body } = await ask("POST", "/suno/submit/lyrics", { prompt: "Boats" });
    await gateway.api("PUT", "/option/batch", { values: { TaskDeadlineMinutes: null } });
    const task = await gateway.database.db.task.findFirstOrThrow({ where: { task_id: String(body.data) } });
    expect((task.deadline?.getTime() ?? 0) - (task.submit_time?.getTime() ?? 0)).toBe(7 * 60_000);
    await rounds(3);
  });

  it("that fails is refunded once, however often the provider reports the failure", async () => {
    const before = await balance();
    const { body } = await ask("POST", "/suno/submit/lyrics", { prompt: "Boats [[task=fail]]" });
    expect(before - (await balance())).toBe(5_000);
    await rounds(5);
    expect(await balance()).toBe(before);
    const [row] = await listed(`task_id=${String(body.data)}`);
    expect(row).toMatchObject({ status: "FAILURE", quota: 5_000, refunded: true });
    expect(row?.fail_reason).not.toBe("");
    const entries = await gateway.database.db.ledgerEntry.findMany({ where: { kind: "task" } });
    expect(entries).toHaveLength(1);
    expect(await gateway.drift()).toBe(0n);
  });

  it("whose charge was recorded only in the log is refunded, too", async () => {
    const before = await balance();
    const { body } = await ask("POST", "/suno/submit/lyrics", { prompt: "Boats [[task=fail]]" });
    const { db } = gateway.database;
    await db.task.updateMany({ where: { task_id: String(body.data) }, data: { quota: 0 } });
    await rounds(3);
    expect(await balance()).toBe(before);
    expect(await gateway.drift()).toBe(0n);
  });

  it("is refunded once when several nodes see its failure at the same time", async () => {
    const before = await balance();
    const orders = Array.from({ length: 6 }, () =>
      ask("POST", "/suno/submit/lyrics", { prompt: "Boats [[task=fail]]" }),
    );
    await Promise.all(orders);
    for (let round = 0; round < 4; round += 1)
      await Promise.all([pollTasks(watch, 0), pollTasks(watch, 0), pollTasks(watch, 0)]);
    expect(await balance()).toBe(before);
    expect(await gateway.drift()).toBe(0n);
  });

  it("that failed before its charge was recorded is refunded when the charge is recorded", async () => {
    const { db } = gateway.database;
    const { body } = await ask("POST", "/suno/submit/lyrics", { prompt: "Boats" });
    const before = await balance();
    const task = await db.task.findFirstOrThrow({ where: { task_id: String(body.data) } });
    // The log row does not exist yet either, as when polling is faster than the bill.
    await db.task.update({ where: { id: task.id }, data: { quota: 0, request_id: "not-yet" } });
    await giveUp(db, { ...task, quota: 0n, request_id: "not-yet" }, "Too fast.");
    expect(await balance()).toBe(before);
    await db.task.update({ where: { id: task.id }, data: { request_id: task.request_id } });
    await markCharged(db, task);
    await markCharged(db, task);
    expect(task.quota).toBeGreaterThan(0n);
    expect(await balance()).toBe(before + Number(task.quota));
    expect(await gateway.drift()).toBe(0n);
  });

  it("survives a provider that returns invalid responses for a while", async () => {
    const { body } = await ask("POST", "/suno/submit/lyrics", { prompt: "Boats" });
    for (const trouble of [{ status: 500 }, { garbage: true }, { cut: "start" as const }, { status: 401 }]) {
      gateway.upstream.control.set({ ...trouble, times: 1 });
      await rounds(1);
    }
    gateway.upstream.control.reset();
    await rounds(3);
    expect((await listed(`task_id=${String(body.data)}`))[0]?.status).toBe("SUCCESS");
  });

  it("that the provider no longer knows is given up at its deadline, and refunded", async () => {
    const before = await balance();
    const { body } = await ask("POST", "/suno/submit/lyrics", { prompt: "Boats [[task=forget]]" });
    const where = { task_id: String(body.data) };
    await rounds(2);
    expect((await listed(`task_id=${where.task_id}`))[0]?.status).toBe("SUBMITTED");
    await gateway.database.db.task.updateMany({ where, data: { deadline: new Date(Date.now() - 1_000) } });
    await rounds(1);
    expect((await listed(`task_id=${where.task_id}`))[0]).toMatchObject({
      status: "FAILURE",
      refunded: true,
      finish_time: expect.any(Number) as number,
    });
    expect(await balance()).toBe(before);
  });

  it("that continues another uses the same channel, for its owner only", async () => {
    const { body } = await ask("POST", "/suno/submit/music", { prompt: "First" });
    const more = { prompt: "More", continue_clip_id: "clip", task_id: String(body.data) };
    expect((await ask("POST", "/suno/submit/music", more)).status).toBe(200);
    expect((await ask("POST", "/suno/submit/music", { ...more, task_id: "another" })).body).toMatchObject({
      code: "task_not_exist",
    });
    expect((await ask("POST", "/suno/submit/music", { ...more, task_id: "" })).status).toBe(400);
  });

  it("that no provider accepts costs nothing", async () => {
    const before = await balance();
    gateway.upstream.control.set({ status: 500 });
    expect((await ask("POST", "/suno/submit/music", { prompt: "Boats" })).status).toBe(502);
    gateway.upstream.control.reset();
    expect((await ask("POST", "/suno/submit/music", { mv: "chirp-v4" })).status).toBe(400);
    expect((await ask("POST", "/suno/submit/dance", { prompt: "Boats" })).body.code).toBe("invalid_request");
    expect((await ask("POST", "/suno/submit/music", { prompt: "Boats", mv: "unknown" })).status).toBe(404);
    expect(await balance()).toBe(before);
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("text that cannot be stored", () => {
  it.each([
    ["/suno/submit/music", { prompt: "Boats\0", mv: "chirp-v3-5" }],
    ["/suno/submit/lyrics", { prompt: "Boats \ud800" }],
    ["/suno/submit/music", { prompt: "Boats", title: "A\0", mv: "chirp-v3-5" }],
    ["/mj/submit/imagine", { prompt: "Boats\0" }],
    ["/kling/v1/videos/text2video", { model_name: "kling-v1", prompt: "Boats\0" }],
  ])("%s %j is rejected before the provider is called, and costs nothing", async (path, body) => {
    const before = await balance();
    const calls = gateway.upstream.calls().length;
    const answer = await ask("POST", path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    expect(gateway.upstream.calls()).toHaveLength(calls);
    expect(await balance()).toBe(before);
  });
});

describe("a video", () => {
  it("is created with a signed key, and returned in the provider's format", async () => {
    const requested = await ask("POST", "/kling/v1/videos/text2video", {
      prompt: "A boat",
      callback_url: "http://127.0.0.1/secret",
    });
    expect(requested).toMatchObject({ status: 200, body: { code: 0, data: { task_status: "submitted" } } });
    const call = gateway.upstream.calls().at(-1);
    expect(call?.body).toEqual({ prompt: "A boat", model_name: "kling-v1", mode: "std", duration: "5" });
    const claims = JSON.parse(
      Buffer.from(call?.key.split(".")[1] ?? "", "base64url").toString("utf8"),
    ) as object;
    expect(claims).toMatchObject({ iss: "ak" });
    const { task_id: id } = requested.body.data as { task_id: string };
    await rounds(3);
    expect((await ask("GET", `/kling/v1/videos/text2video/${id}`)).body.data).toMatchObject({
      task_status: "succeed",
      task_result: { videos: [{ url: expect.stringContaining("video/webm") as string }] },
    });
    expect(await gateway.drift()).toBe(0n);
  });

  it("that the provider rejects with its own code is a client error, and costs nothing", async () => {
    const before = await balance();
    // Without a prompt the provider returns code 1201, with status 200.
    const requested = await ask("POST", "/kling/v1/videos/text2video", {});
    expect(requested.status).toBe(400);
    expect(await balance()).toBe(before);
  });

  it("whose channel is deleted fails and is refunded", async () => {
    const model = { type: 53, name: "short-lived", key: "a|b", models: ["kling-video_v1_pro_5"] };
    const channel = await gateway.addChannel(model);
    const before = await balance();
    const requested = await ask("POST", "/kling/v1/videos/text2video", { prompt: "A boat", mode: "pro" });
    await gateway.api("DELETE", `/channel/${channel.id}`);
    await rounds(1);
    const { task_id: id } = requested.body.data as { task_id: string };
    expect((await ask("GET", `/kling/v1/videos/text2video/${id}`)).body.data).toMatchObject({
      task_status: "failed",
    });
    expect(await balance()).toBe(before);
  });

  it("of a disabled channel continues", async () => {
    const channel = await gateway.addChannel({
      type: 53,
      name: "off",
      key: "c|d",
      models: ["kling-video_v1_pro_10"],
    });
    const wanted = { prompt: "A boat", mode: "pro", duration: 10 };
    const { body } = await ask("POST", "/kling/v1/videos/text2video", wanted);
    await gateway.api("PATCH", `/channel/${channel.id}`, { status: 2 });
    await rounds(3);
    const { task_id: id } = body.data as { task_id: string };
    expect((await listed(`task_id=${id}`))[0]?.status).toBe("SUCCESS");
  });
});

describe("an image", () => {
  it("is created at the requested speed, and can be continued by its owner", async () => {
    const requested = await ask("POST", "/mj-turbo/mj/submit/imagine", {
      prompt: "A boat --fast",
      notifyHook: hook,
      accountFilter: { modes: ["RELAX"] },
    });
    expect(requested).toMatchObject({ status: 200, body: { code: 1 } });
    expect(gateway.upstream.calls().at(-1)?.body).toEqual({
      prompt: "A boat",
      accountFilter: { modes: ["TURBO"] },
    });
    const id = requested.body.result;
    const upscale = { content: `${id} U2` };
    expect((await ask("POST", "/mj/submit/simple-change", upscale)).status).toBe(400);
    await rounds(3);
    const shown = (await ask("GET", `/mj/task/${id}/fetch`)).body;
    expect(shown).toMatchObject({ id, status: "SUCCESS", progress: "100%", action: "IMAGINE" });
    expect(shown).not.toHaveProperty("properties");
    expect(reported.at(-1)).toMatchObject({ id, status: "SUCCESS" });
    // It continues at the speed of the first, for which no channel exists here.
    expect((await ask("POST", "/mj/submit/simple-change", upscale)).status).toBe(404);
    const list = await ask("POST", "/mj/task/list-by-condition", { ids: [id, "1"] });
    expect(list.body).toMatchObject([{ id }]);
    const image = await fetch(`${gateway.url}/mj/image/${id}`, { headers: { "mj-api-secret": key } });
    expect(image.headers.get("content-type")).toBe("image/png");
    expect((await fetch(`${gateway.url}/mj/image/${id}`)).status).toBe(401);
    expect(await gateway.drift()).toBe(0n);
  });

  it("continues from a fast one", async () => {
    const { body } = await ask("POST", "/mj/submit/imagine", { prompt: "A tree" });
    await rounds(3);
    const changed = await ask("POST", "/mj/submit/change", {
      taskId: body.result,
      action: "UPSCALE",
      index: 1,
    });
    expect(changed.status).toBe(200);
    const pressed = { taskId: body.result, customId: "MJ::JOB::upsample::2::abc" };
    expect((await ask("POST", "/mj/submit/action", pressed)).status).toBe(200);
    const { data } = await gateway.api<{ data: MidjourneyRow[] }>("GET", "/mj/?size=2");
    expect(data).toMatchObject([
      { action: "UPSCALE", code: 1, mode: "FAST", channel_name: "pictures", username: "root" },
      { action: "UPSCALE" },
    ]);
    expect(data[0]?.submit_time).toBeGreaterThan(1e12);
  });

  it("that the provider already has is not charged twice, and is not visible to others", async () => {
    const { body } = await ask("POST", "/mj/submit/imagine", { prompt: "A hill" });
    const before = await balance();
    const again = await ask("POST", "/mj/submit/imagine", { prompt: `A hill [[again=${body.result}]]` });
    expect(again).toMatchObject({ status: 200, body: { code: 1, result: body.result } });
    expect(await balance()).toBe(before);
    expect(await gateway.drift()).toBe(0n);
    const seed = await ask("GET", `/mj/task/${body.result}/image-seed`);
    expect(seed.body).toMatchObject({ code: 1, result: expect.any(String) as string });
  });

  it("has a seed, also of a provider whose response has a field for errors", async () => {
    const provider = await startScriptedServer();
    const seed = { code: 1, description: "success", result: "42", error: null };
    provider.play(({ method }) => ({
      json: method === "POST" ? { code: 1, description: "Submit success", result: "1700000000001" } : seed,
    }));
    try {
      const models = ["mj_relax_imagine"];
      await gateway.addChannel({ type: 34, name: "slow pictures", models, base_url: provider.url });
      const { body } = await ask("POST", "/mj-relax/mj/submit/imagine", { prompt: "A lake" });
      const answer = await ask("GET", `/mj/task/${body.result}/image-seed`);
      expect(answer).toMatchObject({ status: 200, body: seed });
    } finally {
      await provider.close();
    }
  });

  it("with forbidden words is rejected with the provider's message, and costs nothing", async () => {
    const before = await balance();
    const refused = await ask("POST", "/mj/submit/imagine", { prompt: "A [[banned]] boat" });
    expect(refused).toMatchObject({ status: 400, body: { code: 4, type: "upstream_error" } });
    expect(String(refused.body["description"])).toContain("banned word");
    expect(await balance()).toBe(before);
    expect((await ask("POST", "/mj/notify", { id: "1" })).status).toBe(404);
  });
});

describe("another user", () => {
  it("cannot read the tasks of others", async () => {
    const { body } = await ask("POST", "/suno/submit/lyrics", { prompt: "Mine" });
    const { id } = await gateway.api<{ id: number }>("POST", "/user", {
      username: "stranger",
      password: "a long password",
      display_name: "",
      group: "default",
    });
    const { key: other } = await gateway.addToken({ name: "other" });
    await gateway.database.db.token.updateMany({ where: { name: "other" }, data: { user_id: id } });
    const path = `/suno/fetch/${String(body.data)}`;
    expect((await ask("GET", path, undefined, other)).status).toBe(404);
    const list = await ask("POST", "/suno/fetch", { ids: [String(body.data)] }, other);
    expect(list.body.data).toEqual([]);
  });

  it("can list own tasks only, without channels", async () => {
    const { db } = gateway.database;
    const user = await db.user.findFirstOrThrow({ where: { username: "stranger" } });
    const { key: theirs } = await gateway.addToken({ name: "theirs" });
    await db.token.updateMany({ where: { name: "theirs" }, data: { user_id: user.id } });
    await credit(db, {
      userId: user.id,
      kind: "gift",
      amount: 1_000_000n,
      reference: "stranger",
      reason: "",
    });
    expect((await ask("POST", "/suno/submit/lyrics", { prompt: "Theirs" }, theirs)).status).toBe(200);
    const signedIn = await fetch(`${gateway.url}/api/user/login`, {
      method: "POST",
      headers: { "api-version": "2", "content-type": "application/json", origin: gateway.url },
      body: JSON.stringify({ username: "stranger", password: "a long password" }),
    });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const look = async (path: string) => {
      const response = await fetch(`${gateway.url}/api${path}`, { headers: { "api-version": "2", cookie } });
      return { status: response.status, ...((await response.json()) as { data?: { data: TaskRow[] } }) };
    };
    expect((await look("/task")).status).toBe(403);
    expect((await look("/mj")).status).toBe(403);
    const own = await look(`/task/self?user_id=1&channel_id=1`);
    expect(own.data?.data).toMatchObject([{ prompt: "Theirs", channel_id: 0, channel_name: "" }]);
  });
});
