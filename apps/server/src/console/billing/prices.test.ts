import type { PriceChanges, PricePreview, PriceRow } from "@gateway/shared/billing/price";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addPrices } from "#domain/pricing/prices.ts";
import { listedPrices, seedPrices } from "#domain/pricing/seed-prices.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;
let user: Browser;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
  user = await site.as(await site.makeUser());
});
afterAll(() => site.close());

const price = { type: "tokens", channel_type: 1, input: 1.25, output: 10 };

async function list(): Promise<PriceRow[]> {
  return (await site.guest.get<PriceRow[]>("/api/prices")).body.data;
}

describe("a single price", () => {
  it("is created, read by anyone, renamed and removed, each time with an audit row", async () => {
    const input = { ...price, model: "acme/model-a", extra_ratios: { cached_tokens: 0.1 } };
    const tiers = [{ above: 200_000, input: 2.5, output: 20 }];
    const made = await admin.send<PriceRow>("POST", "/api/prices/single", { ...input, tiers });
    expect(made.body.data).toMatchObject({ ...input, tiers, locked: false });

    const renamed = await admin.send<PriceRow>("PUT", "/api/prices/single/acme%2Fmodel-a", {
      ...input,
      model: "acme/model-b",
      input: 2,
    });
    expect(renamed.body.data).toMatchObject({ model: "acme/model-b", input: 2, tiers: [] });
    expect(renamed.body.data.version_id).toBeGreaterThan(made.body.data.version_id);
    expect((await list()).map((row) => row.model)).toEqual(["acme/model-b"]);

    expect((await admin.send("DELETE", "/api/prices/single/acme/model-b")).status).toBe(200);
    expect((await admin.send("DELETE", "/api/prices/single/acme/model-b")).status).toBe(404);
    expect(await list()).toEqual([]);
    const notes = await site.services.db.auditEntry.findMany({
      where: { target_type: "price" },
      orderBy: { id: "asc" },
    });
    expect(notes.map((note) => note.action)).toEqual(["price.create", "price.change", "price.delete"]);
  });

  it("is rejected with the field and the message of the rule", async () => {
    await admin.send("POST", "/api/prices/single", { ...price, model: "taken" });
    const wrong: [object, string, string][] = [
      [{ model: "taken" }, "model", "Model names cannot be repeated"],
      [{ model: "" }, "model", "Model name is required"],
      [{ model: "a*b" }, "model", "wildcard"],
      [{ model: "*" }, "model", "wildcard"],
      [{ model: "x", type: "hours" }, "type", "The type can only be tokens or times"],
      [{ model: "x", channel_type: 0 }, "channel_type", "Channel type error"],
      [{ model: "x", channel_type: 4711 }, "channel_type", "Channel type error"],
      [{ model: "x", input: -1 }, "input", "less than 0"],
      [{ model: "x", output: 1e10 }, "output", "too large"],
      [{ model: "x", extra_ratios: { cached_tokens: -0.1 } }, "extra_ratios.cached_tokens", "less than 0"],
      [{ model: "x", tiers: [{ above: 0, input: 1, output: 1 }] }, "tiers.0.above", "whole number"],
    ];
    for (const [over, field, sentence] of wrong) {
      const answer = await admin.send("POST", "/api/prices/single", { ...price, ...over });
      expect([400, 409], JSON.stringify(over)).toContain(answer.status);
      expect(answer.body.fields?.[field], JSON.stringify(over)).toContain(sentence);
    }
    expect((await list()).map((row) => row.model)).toEqual(["taken"]);
    await admin.send("DELETE", "/api/prices/single/taken");
  });

  it("cannot be renamed to an existing one, nor edited by ordinary users", async () => {
    for (const model of ["one", "two"]) await admin.send("POST", "/api/prices/single", { ...price, model });
    const over = await admin.send("PUT", "/api/prices/single/one", { ...price, model: "two" });
    expect(over).toMatchObject({
      status: 409,
      body: { fields: { model: "Model names cannot be repeated" } },
    });
    expect((await list()).map((row) => row.model)).toEqual(["one", "two"]);
    const body = { ...price, model: "three" };
    expect((await user.send("POST", "/api/prices/single", body)).status).toBe(403);
    expect((await site.guest.send("POST", "/api/prices/single", body)).status).toBe(401);
    await admin.send("PUT", "/api/prices/multiple/delete", { models: ["one", "two", "unknown"] });
    expect(await list()).toEqual([]);
  });

  it("is created once, even in parallel", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => admin.send("POST", "/api/prices/single", { ...price, model: "race" })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(7);
    await admin.send("DELETE", "/api/prices/single/race");
  });
});

describe("several prices at once", () => {
  it("are added, changed and removed in one request", async () => {
    const save = (original_models: string[], models: string[], input: number) =>
      admin.send("POST", "/api/prices/multiple", { original_models, models, price: { ...price, input } });
    expect((await save([], ["a", "b"], 1)).status).toBe(200);
    expect((await save(["a", "b"], ["b", "c"], 3)).status).toBe(200);
    expect((await list()).map((row) => [row.model, row.input])).toEqual([
      ["b", 3],
      ["c", 3],
    ]);
    const repeated = { models: "Model names cannot be repeated" };
    expect((await save([], ["d", "d"], 1)).body.fields).toEqual(repeated);
    expect((await save([], ["d", "c"], 1)).body.fields).toEqual(repeated);
    expect((await save([], [], 1)).status).toBe(400);
    expect(await list()).toHaveLength(2);
    await admin.send("PUT", "/api/prices/multiple/delete", { models: ["b", "c"] });
    expect((await admin.send("PUT", "/api/prices/multiple/delete", { models: ["b"] })).status).toBe(404);
  });
});

describe("a price list", () => {
  it("is previewed completely, and applied according to the mode; locked prices stay", async () => {
    const { db } = site.services;
    await seedPrices(db);
    const [first, second] = listedPrices();
    await admin.send("PUT", `/api/prices/single/${first!.model}`, {
      ...price,
      model: first!.model,
      input: 77,
    });
    const locked = { ...price, model: second!.model, input: 88, locked: true };
    await admin.send("PUT", `/api/prices/single/${second!.model}`, locked);
    await addPrices(db, [{ ...first!, model: "only here" }]);

    const preview = (await admin.send<PricePreview>("POST", "/api/prices/preview", { url: "" })).body.data;
    expect(preview.prices).toHaveLength(listedPrices().length);
    expect(preview.changes.added).toEqual([]);
    expect(preview.changes.changed.map((change) => change.before.model)).toEqual([first!.model]);
    expect(preview.changes.removed.map((each) => each.model)).toEqual(["only here"]);
    expect(preview.changes.locked).toEqual([second!.model]);

    const sync = async (mode: string) =>
      (await admin.send<PriceChanges>("POST", `/api/prices/sync?updateMode=${mode}`, preview.prices)).body
        .data;
    expect(await sync("add")).toMatchObject({ added: [], changed: [], removed: [] });
    expect((await sync("update")).changed).toHaveLength(1);
    expect((await sync("overwrite")).removed).toHaveLength(1);
    expect(await sync("overwrite")).toMatchObject({ added: [], changed: [], removed: [] });
    expect((await list()).find((row) => row.model === second!.model)).toMatchObject(locked);
  });

  it("stores nothing when it is invalid or empty", async () => {
    const before = await list();
    for (const body of [{}, [], { data: [] }, [{ model: "x" }], [{ ...price, model: "x", input: -1 }]]) {
      const answer = await admin.send("POST", "/api/prices/sync?updateMode=overwrite", body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
    }
    expect(await list()).toEqual(before);
  });

  it("is not fetched from this machine or a private network", async () => {
    for (const url of [
      "http://127.0.0.1:1/",
      "http://localhost/",
      "http://10.0.0.1/x",
      "http://[::1]/",
      "ftp://a/",
    ]) {
      const answer = await admin.send("POST", "/api/prices/preview", { url });
      expect(answer.status, url).toBe(400);
      expect(Object.keys(answer.body.fields ?? {}), url).toEqual(["url"]);
    }
  });
});

describe("the names of models", () => {
  it("are those with a price and those of channels", async () => {
    const { db } = site.services;
    const channel = { type: 900, name: "c", models: { create: [{ model: "from-channel" }] } };
    await db.channel.create({ data: channel });
    const names = (await admin.get<string[]>("/api/prices/model_list")).body.data;
    expect(names).toContain("from-channel");
    expect(names).toContain("gpt-5.5");
    expect((await admin.get("/api/prices/updateService")).body.data).toBe("");
  });
});

describe("owners of models", () => {
  it("have a permanent id above 1000; the providers' own stay", async () => {
    const owner = { id: 1001, name: "Ours", icon: "openai" };
    expect((await admin.send("POST", "/api/model_ownedby", { ...owner, id: 1000 })).body.fields).toEqual({
      id: "The id must be a number above 1000",
    });
    expect((await admin.send("POST", "/api/model_ownedby", owner)).body.data).toEqual(owner);
    expect((await admin.send("POST", "/api/model_ownedby", owner)).status).toBe(409);
    const changed = { ...owner, name: "Mine" };
    expect((await admin.send("PUT", "/api/model_ownedby", changed)).body.data).toEqual(changed);
    expect((await admin.send("PUT", "/api/model_ownedby", { ...changed, id: 1002 })).status).toBe(404);
    expect((await admin.send("DELETE", "/api/model_ownedby/1")).status).toBe(400);

    await admin.send("POST", "/api/prices/single", { ...price, model: "owned", channel_type: 1001 });
    expect((await admin.send("DELETE", "/api/model_ownedby/1001")).status).toBe(409);
    await admin.send("DELETE", "/api/prices/single/owned");
    expect((await admin.send("DELETE", "/api/model_ownedby/1001")).status).toBe(200);
  });
});
