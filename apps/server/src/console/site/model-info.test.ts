import type { AvailableModels } from "@gateway/shared/models/model";
import type { ModelInfoRow } from "@gateway/shared/models/model-info";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listedModels, seedModelInfo } from "#domain/catalog/model-info.ts";
import modelList from "#domain/catalog/model-list.json" with { type: "json" };
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

const path = "/api/model_info";

describe("the model catalogue", () => {
  it("starts with the listed models, once, and does not restore removed ones", async () => {
    const { db } = site.services;
    await seedModelInfo(db);
    expect(await db.modelInfo.count()).toBe(listedModels().length);
    await db.modelInfo.deleteMany();
    await seedModelInfo(db);
    expect(await db.modelInfo.count()).toBe(0);
  });

  it("lists each model once, with its source, and links to the provider", () => {
    const listed = listedModels();
    expect(new Set(listed.map((info) => info.model)).size).toBe(listed.length);
    for (const provider of modelList.providers) {
      expect(provider.date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(provider.source).toMatch(/^https:\/\/|^Unverified: |^This product's simulated provider\.$/);
    }
    const support = (model: string) => listed.find((info) => info.model === model)?.support_url;
    expect(support("gpt-4o")).toEqual(["https://developers.openai.com/api/docs/models"]);
    expect(support("demo-chat")).toEqual([]);
  });

  it("is readable by anyone and edited by administrators", async () => {
    const user = await site.as(await site.makeUser());
    expect((await site.guest.get(path)).status).toBe(200);
    for (const [method, url] of [
      ["POST", path],
      ["PUT", path],
      ["DELETE", `${path}/1`],
      ["POST", `${path}/import`],
    ] as const) {
      expect((await site.guest.send(method, url, {})).status, `${method} ${url}`).toBe(401);
      expect((await user.send(method, url, {})).status, `${method} ${url}`).toBe(403);
    }
  });

  it("creates, changes and deletes a model, each recorded once", async () => {
    const input = {
      model: "my-model",
      name: "My model",
      context_length: 128_000,
      input_modalities: ["text", "image"],
      tags: ["Hot"],
      support_url: ["https://example.com/docs"],
    };
    const made = await admin.send<ModelInfoRow>("POST", path, input);
    expect(made.body.data).toMatchObject({ ...input, description: "", max_tokens: 0 });
    expect(await admin.send("POST", path, input)).toMatchObject({
      status: 409,
      body: { fields: { model: "This model is already in the catalogue" } },
    });
    const other = await admin.send<ModelInfoRow>("POST", path, { model: "other" });
    const { id } = other.body.data;
    expect((await admin.send("PUT", path, { id, model: "my-model" })).status).toBe(409);
    const changed = await admin.send<ModelInfoRow>("PUT", path, { id, model: "other", max_tokens: 9 });
    expect(changed.body.data).toMatchObject({ model: "other", max_tokens: 9 });
    expect((await admin.get<ModelInfoRow>(`${path}/${id}`)).body.data).toMatchObject({ max_tokens: 9 });
    expect((await admin.send("DELETE", `${path}/${id}`)).status).toBe(200);
    expect((await admin.get(`${path}/${id}`)).status).toBe(404);
    const actions = await site.services.db.auditEntry.findMany({
      where: { target_type: "model", target_id: "other" },
    });
    expect(actions.map((entry) => entry.action).sort()).toEqual([
      "model.change",
      "model.create",
      "model.delete",
    ]);
  });

  it("rejects invalid values", async () => {
    for (const [field, value] of [
      ["model", " "],
      ["context_length", -1],
      ["max_tokens", 1.5],
      ["support_url", ["javascript:alert(1)"]],
      ["tags", Array.from({ length: 21 }, (_, n) => `t${n}`)],
    ] as const) {
      const { status, body } = await admin.send("POST", path, { model: "bad", [field]: value });
      expect(status, field).toBe(400);
      expect(
        Object.keys(body.fields ?? {}).some((name) => name.startsWith(field)),
        field,
      ).toBe(true);
    }
  });

  it("imports a list, also one whose lists are JSON in strings, and keeps or replaces existing rows", async () => {
    const list = {
      data: [
        { model: "my-model", name: "From the list", tags: "[]" },
        {
          model: "new-model",
          input_modalities: '["text","audio"]',
          output_modalities: "",
          support_url: "[]",
        },
      ],
    };
    const first = await admin.send(`POST`, `${path}/import`, { models: list });
    expect(first.body.data).toEqual({ added: 1, changed: 0, kept: 1 });
    const second = await admin.send("POST", `${path}/import`, { models: list.data, mode: "overwrite" });
    expect(second.body.data).toEqual({ added: 0, changed: 2, kept: 0 });
    const { body } = await site.guest.get<ModelInfoRow[]>(path);
    expect(body.data.find((info) => info.model === "my-model")).toMatchObject({
      name: "From the list",
      tags: [],
    });
    expect(body.data.find((info) => info.model === "new-model")).toMatchObject({
      input_modalities: ["text", "audio"],
    });
  });

  it("imports all of a list or nothing, and reports the position of the error", async () => {
    const models = [{ model: "fine" }, { model: "broken", context_length: "many" }];
    const { status, body } = await admin.send("POST", `${path}/import`, { models });
    expect(status).toBe(400);
    expect(body).toMatchObject({ params: { field: "models.1.context_length", reason: "number_whole" } });
    expect(await site.services.db.modelInfo.count({ where: { model: "fine" } })).toBe(0);
    for (const nonsense of ["text", 7, {}, []])
      expect((await admin.send("POST", `${path}/import`, { models: nonsense })).status).toBe(400);
    const inside = await admin.send("POST", `${path}/import`, { url: "http://127.0.0.1:1/list.json" });
    expect(inside.status).toBe(400);
  });

  it("imports the listed models when no list is given", async () => {
    const { body } = await admin.send<{ added: number }>("POST", `${path}/import`, {});
    expect(body.data.added).toBe(listedModels().length);
  });

  it("is part of the price list", async () => {
    const { db } = site.services;
    const channel = await db.channel.create({ data: { type: 1, name: "c" } });
    await db.channelModel.create({ data: { channel_id: channel.id, model: "gpt-4o" } });
    await db.channelGroup.create({ data: { channel_id: channel.id, group: "default" } });
    const { body } = await site.guest.get<AvailableModels>("/api/available_model");
    expect(body.data["gpt-4o"]?.info).toMatchObject({ name: "GPT-4o", context_length: 128_000 });
  });
});

describe("price lists for other tools", () => {
  it("contain the current prices, those of this version, or a bare array", async () => {
    const { db } = site.services;
    await db.price.create({ data: { model: "only-here", channel_type: 1, input: 1, output: 2 } });
    const names = async (query: string) =>
      (await site.guest.get<{ model: string }[]>(`/api/prices${query}`)).body.data.map(
        (price) => price.model,
      );
    expect(await names("")).toContain("only-here");
    expect(await names("?type=db")).toContain("only-here");
    expect(await names("?type=default")).toContain("gpt-4o");
    expect(await names("?type=default")).not.toContain("only-here");
    const { response } = await site.guest.get("/api/prices?type=old");
    expect(response.json()).toContainEqual(
      expect.objectContaining({ model: "only-here", type: "tokens", channel_type: 1, input: 1, output: 2 }),
    );
  });

  it("name owners by id", async () => {
    const { body } = await site.guest.get<Record<string, { name: string }>>("/api/ownedby");
    expect(body.data["1"]).toMatchObject({ id: 1, name: "OpenAI" });
  });
});
