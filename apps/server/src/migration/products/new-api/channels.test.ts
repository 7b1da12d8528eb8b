import { expect, it } from "vitest";
import { createReportBook } from "#migration/report.ts";
import { tolerateMissingColumns, type SourceRow } from "#migration/sources/source.ts";
import { newApiChannels } from "./channels.ts";

const account = (project: string) => ({
  type: "service_account",
  project_id: project,
  private_key: "-----BEGIN PRIVATE KEY-----\nabc}\n-----END PRIVATE KEY-----\n",
  client_email: `gateway@${project}.example`,
});

async function imported(key: string, more: SourceRow = {}) {
  const row = {
    id: 1,
    type: 41,
    key,
    status: 1,
    name: "v",
    models: "gemini-2.5-pro",
    group: "default",
    other: "europe-west1",
    ...more,
  };
  const source = tolerateMissingColumns({
    origin: "test",
    columns: new Map([["channels", new Set(Object.keys(row))]]),
    async *rows() {
      yield row;
    },
    count: async () => 1,
    close: async () => {},
  });
  const book = createReportBook();
  const context = { source, book, options: new Map(), now: new Date(), priceFile: undefined };
  for await (const channel of newApiChannels(context)) return { channel, book };
  throw new Error("The channel was not read.");
}

const several = { channel_info: '{"is_multi_key":true,"multi_key_status_list":{"1":3}}' };
const both = [account("one"), account("two")];

it.each([
  ["an array", JSON.stringify(both)],
  ["one document per line", both.map((each) => JSON.stringify(each)).join("\n")],
  ["indented documents", both.map((each) => JSON.stringify(each, null, 2)).join("\n")],
  ["documents with commas and empty lines", both.map((each) => JSON.stringify(each, null, 1)).join(",\n\n")],
  ["Windows line breaks", both.map((each) => JSON.stringify(each)).join("\r\n")],
])("several keys of Vertex AI are imported from %s, each with its project", async (_name, key) => {
  const { channel } = await imported(key, several);
  expect(channel.keys.map((each) => JSON.parse(each.key))).toEqual(both);
  expect(channel.keys.map((each) => each.status)).toEqual([1, 3]);
  expect(channel.status).toBe(1);
  expect(channel.input.other).toBe("europe-west1|");
});

it("one key of Vertex AI is imported with its project, indented or not", async () => {
  for (const indent of [0, 2]) {
    const { channel } = await imported(JSON.stringify(account("one"), null, indent));
    expect(channel.keys.map((each) => JSON.parse(each.key))).toEqual([account("one")]);
    expect(channel.input.other).toBe("europe-west1|one");
  }
});

it("a key of Vertex AI that is no service account is disabled and reported", async () => {
  const broken = await imported(`${JSON.stringify(account("one"))}\n{"project_id": "two"`, several);
  expect(broken.channel.keys.map((each) => each.status)).toEqual([1, 2]);
  const apiKey = await imported("AIza-key");
  expect(apiKey.channel).toMatchObject({
    status: 2,
    statusReason: { facts: [{ code: "importNoServiceAccount" }] },
  });
});
