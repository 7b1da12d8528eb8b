import { ChannelInput, type ChannelRow } from "@gateway/shared/channels/channel";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type Candidates, createCandidates } from "./candidates.ts";

/** Tests that the channels in memory follow the database, one channel at a time. */
let place: TestConsole;
let candidates: Candidates;
let ids: number[];

beforeAll(async () => {
  place = await buildConsole();
  const admin = await place.as(await place.makeUser({ role: 10 }));
  ids = [];
  for (const name of ["one", "two", "three"]) {
    const values = { type: 1, name, key: `k-${name}`, base_url: "https://provider.example" };
    const input = ChannelInput.parse({ ...values, models: ["gpt", `${name}*`], groups: ["default"] });
    ids.push((await admin.send<ChannelRow>("POST", "/api/channel", input)).body.data.id);
  }
  candidates = await createCandidates(place.services);
});
afterAll(() => place.close());

const serving = (model = "gpt") => candidates.find("default", model).map(({ id }) => id);

describe("an announced change", () => {
  it("reloads only the channel that it names", async () => {
    const { db } = place.database;
    const [one = 0, two = 0, three = 0] = ids;
    const untouched = candidates.byId(three);
    const found = candidates.find("default", "gpt");
    await db.channel.update({ where: { id: two }, data: { priority: 9 } });
    await db.channel.update({ where: { id: three }, data: { priority: 8 } });
    await candidates.changed(two);
    expect(serving()).toEqual([two, one, three]);
    expect(candidates.byId(three)).toBe(untouched);
    expect(found.map(({ id }) => id)).toEqual([one, two, three]);
    await candidates.changed(0);
    expect(serving()).toEqual([two, three, one]);
  });

  it("removes a channel that is disabled, deleted or without keys, and adds it again when it is back", async () => {
    const { db } = place.database;
    const [one = 0, two = 0, three = 0] = ids;
    await db.channel.update({ where: { id: one }, data: { status: 2 } });
    await db.channelKey.updateMany({ where: { channel_id: two }, data: { status: 3 } });
    await db.channel.update({ where: { id: three }, data: { deleted_at: new Date() } });
    await Promise.all(ids.map((id) => candidates.changed(id)));
    expect(serving()).toEqual([]);
    expect(serving("one-mini")).toEqual([]);
    expect(candidates.models("default")).toEqual([]);
    await db.channel.update({ where: { id: one }, data: { status: 1 } });
    await candidates.changed(one);
    expect(serving("one-mini")).toEqual([one]);
  });
});

describe("a channel that was stored before a rule for headers", () => {
  it("works without the headers that break the rule", async () => {
    const { db } = place.database;
    const [one = 0] = ids;
    const model_headers = { "X-Ok": "1", Host: "other.example", "content-length": "5", "x-bad": "a\nb" };
    await db.channel.update({ where: { id: one }, data: { model_headers } });
    await candidates.changed(one);
    expect(candidates.byId(one)?.headers).toEqual({ "x-ok": "1" });
  });
});
