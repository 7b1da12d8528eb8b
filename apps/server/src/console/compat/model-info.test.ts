import { afterAll, beforeAll, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type Row, type Script, scriptOf } from "./script.fixture.ts";

let site: TestConsole;
let admin: Script;

beforeAll(async () => {
  site = await buildConsole();
  admin = await scriptOf(site, await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

const texts = {
  input_modalities: '["text","image"]',
  output_modalities: '["text"]',
  tags: '["fast"]',
  support_url: '["https://example.com/model"]',
};

it("model info: lists are JSON in a text, in requests and answers", async () => {
  const body = { model: "described", name: "Described", context_length: 1000, max_tokens: 10, ...texts };
  const made = await admin.send("POST", "/model_info/", body);
  expect(made).toMatchObject({ sent: 200, success: true, data: texts });
  expect((await admin.get(`/model_info/${made.data.id}`)).data).toMatchObject(texts);
  const { data } = await admin.get<Row[]>("/model_info/");
  expect(data.find((row) => row["model"] === "described")).toMatchObject(texts);
});

it("model info: accepts lists as lists too, and empty texts", async () => {
  const body = { model: "lists", input_modalities: ["text"], output_modalities: "", tags: null };
  expect((await admin.send("POST", "/model_info/", body)).data).toMatchObject({
    input_modalities: '["text"]',
    output_modalities: "[]",
    tags: "[]",
  });
});

it("model info: a row can be written back, and a PUT keeps fields it does not contain", async () => {
  const { data } = await admin.get<Row[]>("/model_info/");
  const row = data.find((each) => each["model"] === "described");
  expect(await admin.send("PUT", "/model_info/", row)).toMatchObject({ success: true, data: texts });
  const changed = await admin.send("PUT", "/model_info/", { id: row?.id, name: "Renamed" });
  expect(changed.data).toMatchObject({ ...texts, name: "Renamed", context_length: 1000 });
});
