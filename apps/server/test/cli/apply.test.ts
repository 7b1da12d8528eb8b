import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { cli, shellVariables } from "./cli.ts";

/** `gateway apply` on the database of a running gateway. */
let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  folder = await mkdtemp(join(tmpdir(), "apply-"));
  Object.assign(shellVariables, {
    APPLY_KEY: "sk-first-secret-key",
    APPLY_HEADER: "header-secret-value",
    APPLY_SMTP: "smtp-secret-value",
    APPLY_PORT: "2525",
  });
});
afterAll(async () => {
  for (const name of Object.keys(shellVariables)) if (name.startsWith("APPLY_")) delete shellVariables[name];
  await rm(folder, { recursive: true, force: true });
  await gateway.stop();
});

const secretValues = /sk-first|sk-second|header-secret|smtp-secret/;

async function apply(text: string, ...options: string[]) {
  const path = join(folder, "gateway.yaml");
  await writeFile(path, text);
  return cli(gateway.database.url, "apply", "-f", path, ...options);
}

const whole = `
groups:
  gold: { name: Gold, ratio: 0.5, api_rate: 60, public: true }
channels:
  main:
    type: openai
    base_url: http://127.0.0.1:9/
    key: \${APPLY_KEY}
    models: [demo-chat, other-model]
    groups: [gold, default]
    priority: 5
    model_headers: { x-account: "\${APPLY_HEADER}" }
prices:
  apply-model: { type: tokens, channel_type: OpenAI, input: 1.5, output: 4, extra_ratios: { cached_tokens: 0.1 } }
settings:
  SystemName: Applied
  SMTPToken: { fromEnv: APPLY_SMTP }
  SMTPPort: \${APPLY_PORT}
`;

interface Result {
  applied: boolean;
  changes: { kind: string; name: string; action: string; fields: { name: string }[] }[];
}

const summary = (result: unknown) =>
  (result as Result).changes.map(({ kind, name, action, fields }) =>
    [action, kind, name, ...(action === "change" ? fields.map((field) => field.name) : [])].join(" "),
  );

describe("gateway apply", () => {
  it("shows the difference without secrets and writes nothing", async () => {
    const text = await apply(whole, "--diff");
    expect(text.exitCode, text.err).toBe(2);
    expect(text.out).toContain("+ channel main");
    const json = await apply(whole, "--diff", "--json");
    expect(json.json()).toMatchObject({ applied: false });
    expect(text.out + text.err + json.out + json.err).not.toMatch(secretValues);
    expect(await gateway.database.pool.query("SELECT 1 FROM channels")).toMatchObject({ rowCount: 0 });
    // Without --yes and a terminal, nothing is changed either.
    expect((await apply(whole)).exitCode).toBe(2);
    expect(await gateway.database.pool.query("SELECT 1 FROM channels")).toMatchObject({ rowCount: 0 });
  });

  it("creates everything, and finds no changes the second time", async () => {
    const made = await apply(whole, "--yes", "--json");
    expect(made.exitCode, made.err).toBe(0);
    expect(summary(made.json())).toEqual([
      "create group gold",
      "create channel main",
      "create price apply-model",
      "change setting SystemName SystemName",
      "change setting SMTPToken SMTPToken",
      "change setting SMTPPort SMTPPort",
    ]);
    expect(made.out + made.err).not.toMatch(secretValues);
    const again = await apply(whole, "--yes");
    expect(again).toMatchObject({ exitCode: 0, out: "No changes." });
    expect((await apply(whole, "--diff")).exitCode).toBe(0);
    const { rows } = await gateway.database.pool.query<{ action: string; username: string }>(
      "SELECT action, username FROM audit_entries WHERE username LIKE '%(command line)' ORDER BY id",
    );
    expect(rows.map((row) => row.action)).toEqual(
      expect.arrayContaining(["group.create", "channel.create", "price.create", "setting.change"]),
    );
    // The running gateway uses them.
    await expect
      .poll(async () => (await gateway.api<{ SystemName: string }>("GET", "/option")).SystemName)
      .toBe("Applied");
  });

  it("stores a reference to a key as one, and refuses one that is not valid", async () => {
    const file = (key: string) => `
channels:
  referenced: { type: openai, key: "${key}", models: [demo-chat], groups: [default] }
`;
    expect((await apply(file("file:openai.key"), "--yes")).exitCode).toBe(0);
    const { rows } = await gateway.database.pool.query(
      "SELECT reference FROM channel_keys WHERE reference IS NOT NULL",
    );
    expect(rows).toEqual([{ reference: "file:openai.key" }]);
    expect(summary((await apply(file("file:openai.key"), "--json")).json())).toEqual([]);
    const refused = await apply(file("env:DATABASE_URL"), "--yes");
    expect(refused.exitCode).not.toBe(0);
    expect(refused.err + refused.out).toContain("Its form is env:CHANNEL_KEY_NAME.");
    await gateway.database.pool.query("DELETE FROM channels WHERE name = 'referenced'");
  });

  it("changes only named fields, and a new key", async () => {
    shellVariables["APPLY_KEY"] = "sk-second-secret-key";
    const file = `channels: { main: { priority: 6, enabled: false, key: "\${APPLY_KEY}" } }\nprices: { apply-model: { input: 2 } }`;
    const made = await apply(file, "--yes", "--json");
    expect(made.exitCode, made.err).toBe(0);
    expect(summary(made.json())).toEqual([
      "change channel main priority key enabled",
      "change price apply-model input",
    ]);
    expect(made.out + made.err).not.toMatch(secretValues);
    const { rows } = await gateway.database.pool.query(
      "SELECT c.status, c.priority, c.weight, k.key_hint FROM channels c JOIN channel_keys k ON k.channel_id = c.id",
    );
    expect(rows).toMatchObject([{ status: 2, priority: 6, weight: 1 }]);
    expect((await apply(file, "--yes")).out).toBe("No changes.");
  });

  it("leaves a channel that was disabled automatically disabled until its key changes", async () => {
    await gateway.database.pool.query("UPDATE channels SET status = 3");
    const file = `channels: { main: { enabled: true, key: "\${APPLY_KEY}" } }`;
    expect((await apply(file, "--yes")).out).toBe("No changes.");
    shellVariables["APPLY_KEY"] = "sk-first-secret-key";
    expect(summary((await apply(file, "--yes", "--json")).json())).toEqual([
      "change channel main key enabled",
    ]);
  });

  it("names every fault with its line, and writes nothing", async () => {
    const faulty = await apply(
      `groups:
  vip: { ratio: -1 }
channels:
  main:
    weight: heavy
    wieght: 2
  second:
    type: 1
    key: sk-first-secret-key
  third:
    key: \${APPLY_ABSENT}
    proxy: { fromEnv: APPLY_GONE }
settings:
  NoSuchSetting: 1
  SMTPPort: text
prune: [prices]
`,
      "--yes",
    );
    expect(faulty.exitCode).toBe(3);
    for (const line of [
      /yaml:2: groups\.vip\.ratio: /,
      /yaml:5: channels\.main\.weight: /,
      /yaml:6: channels\.main: .*wieght/,
      /yaml:9: channels\.second\.key: .*environment variable/,
      /yaml:11: .*APPLY_ABSENT/,
      /yaml:12: .*APPLY_GONE/,
      /yaml:16: prune/,
      /Nothing was changed\.$/,
    ])
      expect(faulty.err).toMatch(line);
    expect(faulty.err).not.toMatch(secretValues);
    const settings = await apply("settings:\n  NoSuchSetting: 1\n  SMTPPort: text\n", "--yes");
    expect(settings.err).toMatch(/yaml:2: .*NoSuchSetting/);
    expect(settings.err).toMatch(/yaml:3: settings\.SMTPPort/);
    expect((await apply("channels:\n  a: {}\n  a: {}\n", "--yes")).err).toMatch(/yaml:3: .*unique/);
    expect((await apply("channels: [", "--yes")).exitCode).toBe(3);
    expect((await apply("- a", "--diff")).exitCode).toBe(3);
    expect((await cli(gateway.database.url, "apply", "-f", join(folder, "absent.yaml"))).exitCode).toBe(3);
  });

  it.each([
    ["groups: [", "[".repeat(20_000), "nested more than"],
    ["channels: &a", "\n  main: *a", "nested more than"],
    ["settings: {SystemName: ", String.raw`"a\0b"}`, "settings.SystemName: "],
    ["groups: {g: ", String.raw`{name: "x\uD800", ratio: 1, api_rate: 5}}`, "groups.g.name: "],
    ["groups: ", String.raw`{"a\0b": {name: x, ratio: 1, api_rate: 5}}`, "groups: A name"],
    ["groups: ", "{__proto__: {name: x, ratio: 1, api_rate: 5}}", "groups: A name"],
    ["groups: !!omap", " [g: {name: x, ratio: 1, api_rate: 5}]", "groups: "],
  ])("refuses %s… with a reason and writes nothing", async (start, rest, reason) => {
    const { exitCode, err } = await apply(start + rest, "--yes");
    expect(exitCode).toBe(3);
    expect(err).toContain(reason);
    expect(err).not.toContain("call stack");
  });

  it("reports what the database rejects, and keeps the valid part out too", async () => {
    const rejected = await apply(
      `groups:
  good: { name: Good, ratio: 1, api_rate: 60 }
channels:
  lost:
    type: openai
    key: \${APPLY_KEY}
    models: [a]
    groups: [no-such-group]
  keyless:
    type: 1
    models: [a]
    groups: [default]
  odd:
    type: no-such-provider
settings:
  EmailVerificationEnabled: true
`,
      "--yes",
    );
    expect(rejected.exitCode).toBe(3);
    for (const line of [
      /yaml:8: channels\.lost\.groups: /,
      /yaml:9: channels\.keyless\.key: /,
      /yaml:14: channels\.odd\.type: /,
      /yaml:16: settings\.EmailVerificationEnabled: /,
    ])
      expect(rejected.err).toMatch(line);
    expect(
      await gateway.database.pool.query("SELECT 1 FROM user_groups WHERE symbol = 'good'"),
    ).toMatchObject({
      rowCount: 0,
    });
  });

  it("rejects a name that several channels have", async () => {
    for (const _ of [1, 2]) await gateway.addChannel({ type: 1, name: "twin" });
    expect((await apply("channels:\n  twin: { weight: 2 }\n", "--yes")).err).toMatch(
      /yaml:2: .*Several channels/,
    );
  });

  it("deletes what the file does not name only with prune", async () => {
    expect((await apply("channels: {}\nprices: {}\n", "--yes")).out).toBe("No changes.");
    const pruned = await apply("prune: [channels]\nchannels:\n  main: {}\n", "--yes", "--json");
    expect(pruned.exitCode, pruned.err).toBe(0);
    expect(summary(pruned.json())).toEqual(["delete channel twin", "delete channel twin"]);
    const prices = await apply("prune: [prices]\nprices:\n  apply-model: {}\n", "--yes", "--json");
    expect(prices.exitCode, prices.err).toBe(0);
    expect((await gateway.database.pool.query("SELECT model FROM prices")).rows).toEqual([
      { model: "apply-model" },
    ]);
  });

  it("makes the changes once when it runs twice at the same time", async () => {
    const file = `
groups: { both: { name: Both, ratio: 1, api_rate: 60 } }
channels: { both: { type: 1, key: "\${APPLY_KEY}", models: [a], groups: [both], base_url: "http://127.0.0.1:9" } }
`;
    const path = join(folder, "both.yaml");
    await writeFile(path, file);
    const runs = await Promise.all([1, 2].map(() => cli(gateway.database.url, "apply", "-f", path, "--yes")));
    expect(runs.map((run) => run.exitCode)).toEqual([0, 0]);
    expect(await gateway.database.pool.query("SELECT 1 FROM channels WHERE name = 'both'")).toMatchObject({
      rowCount: 1,
    });
  });

  it("prints its JSON Schema", async () => {
    const { exitCode, json } = await cli(gateway.database.url, "apply", "--schema");
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({
      additionalProperties: false,
      properties: { settings: { properties: { SystemName: {} } }, channels: { type: "object" } },
    });
  });

  it("accepts the documented example", async () => {
    const page = await readFile(resolve(import.meta.dirname, "../../../../docs/cli.md"), "utf8");
    const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    expect(Object.keys(parse(example) as object)).toContain("channels");
    Object.assign(shellVariables, { OPENAI_KEY: "sk-a", SMTP_PASSWORD: "b" });
    const made = await apply(example, "--yes");
    expect(made.exitCode, made.err).toBe(0);
    expect((await apply(example, "--diff")).exitCode).toBe(0);
  });
});
