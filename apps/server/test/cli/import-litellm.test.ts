import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import type { ImportReport } from "#migration/report.ts";
import { connect } from "#platform/database/db.ts";
import { openSecrets } from "#platform/secrets.ts";
import { installedDatabase } from "#test/database.ts";
import { testSecretKey } from "#test/gateway.ts";
import { cli, shellVariables } from "./cli.ts";
import { startImported } from "./imported-gateway.ts";
import { encrypt, hashOf, litellmDatabase, salt } from "./litellm-rows.ts";

const cases: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const remove of cases.splice(0)) await remove();
  for (const name of Object.keys(shellVariables)) delete shellVariables[name];
});

const adaKey = "sk-ada-0123456789abcdefgh";
const teamKey = "sk-team-0123456789abcdefg";
const looseKey = "sk-loose-0123456789abcdef";
const spentKey = "sk-spent-0123456789abcdef";
const blockedKey = "sk-blocked-0123456789abcd";
const rotatedKey = "sk-rotated-0123456789abcd";

const rows = {
  LiteLLM_UserTable: [
    { user_id: "admin", user_role: "proxy_admin", spend: 0.5 },
    {
      user_id: "ada@example.test",
      user_email: "Ada@Example.test",
      user_role: "internal_user",
      password: hashOf("correct horse"),
      max_budget: 10,
      // Floats are binary.
      spend: 0.014000000000000002,
      sso_user_id: "sub-1",
    },
    { user_id: "bob", user_role: "internal_user", max_budget: 5, spend: 7.25 },
    { user_id: "monthly", max_budget: 20, budget_duration: "30d", spend: 3 },
  ],
  LiteLLM_TeamTable: [
    { team_id: "t1", team_alias: "Research", max_budget: 100, spend: 1, models: ["fast"] },
    { team_id: "t2", team_alias: "Blocked", spend: 0, blocked: true },
  ],
  LiteLLM_BudgetTable: [{ budget_id: "b1", max_budget: 2, rpm_limit: 60 }],
  LiteLLM_VerificationToken: [
    {
      token: hashOf(adaKey),
      key_alias: "ada's key",
      user_id: "ada@example.test",
      spend: 0.014,
      metadata: '{"tags":["blue","red"]}',
    },
    {
      token: hashOf(teamKey),
      key_name: "sk-...cdefg",
      team_id: "t1",
      user_id: "ada@example.test",
      models: ["all-team-models"],
      spend: 1,
      tpm_limit: 9_000,
    },
    { token: hashOf(looseKey), user_id: "someone gone", budget_id: "b1", spend: 0.5, total_spend: 4 },
    { token: hashOf(spentKey), user_id: "bob", max_budget: 1, spend: 1.5, expires: "2999-01-01" },
    { token: hashOf(blockedKey), team_id: "t2" },
    { token: "not a hash", user_id: "bob" },
  ],
  LiteLLM_DeprecatedVerificationToken: [
    { id: "1", token: hashOf(rotatedKey), active_token_id: hashOf(adaKey), revoke_at: "2998-01-01" },
  ],
  LiteLLM_OrganizationTable: [{ organization_id: "o", organization_alias: "Org", spend: 0 }],
  LiteLLM_CredentialsTable: [
    {
      credential_id: "c",
      credential_name: "shared",
      credential_values: JSON.stringify({ api_key: encrypt.v2("sk-from-credential") }),
    },
  ],
  LiteLLM_ProxyModelTable: [
    {
      model_id: "m1",
      model_name: "claude",
      litellm_params: JSON.stringify({
        model: encrypt.box("anthropic/claude-sonnet-4-5"),
        api_key: encrypt.box("sk-ant-one"),
        rpm: 200,
      }),
    },
    {
      model_id: "m2",
      model_name: "own",
      litellm_params: JSON.stringify({
        model: encrypt.v3("openai/inner"),
        api_base: encrypt.v3("http://10.0.0.5:8000/v1/"),
        litellm_credential_name: encrypt.v3("shared"),
        input_cost_per_token: 0.0000025,
        output_cost_per_token: 0.00001,
        cache_read_input_token_cost: 6.25e-7,
      }),
    },
  ],
  LiteLLM_DailyUserSpend: [
    {
      id: "d",
      date: "2026-09-10",
      user_id: "ada@example.test",
      api_key: hashOf(adaKey),
      model: "gpt",
      spend: 0.01,
      successful_requests: 2,
    },
  ],
  LiteLLM_SpendLogs: [
    {
      request_id: "chatcmpl-1",
      api_key: hashOf(adaKey),
      spend: 0.012125,
      prompt_tokens: 1_250,
      completion_tokens: 900,
      startTime: new Date(Date.now() - 3_600_000).toISOString().replace("Z", ""),
      endTime: new Date(Date.now() - 3_599_000).toISOString().replace("Z", ""),
      model: "inner",
      model_group: "own",
      status: "success",
      metadata: JSON.stringify({
        model_map_information: {
          model_map_value: { input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 },
        },
      }),
    },
  ],
};

const config = `
model_list:
  - model_name: fast
    litellm_params:
      model: openai/gpt-4o-mini
      api_key: os.environ/OPENAI_KEY
  - model_name: slow
    litellm_params: { model: azure/gpt-4o, api_base: "https://x.openai.azure.com", api_version: "2025-01-01", api_key: os.environ/NOT_SET }
  - model_name: "openai/*"
    litellm_params: { model: "openai/*", api_key: sk-all }
router_settings:
  routing_strategy: latency-based-routing
  model_group_alias: { quick: fast }
  fallbacks: [{ fast: [claude] }]
`;

async function files() {
  const yaml = join(tmpdir(), `litellm-${process.pid}.yaml`);
  const prices = join(tmpdir(), `litellm-${process.pid}.json`);
  await writeFile(yaml, config);
  await writeFile(
    prices,
    JSON.stringify({
      data: [
        {
          model_name: "fast",
          litellm_params: { model: "openai/gpt-4o-mini" },
          model_info: { input_cost_per_token: 1.5e-7, output_cost_per_token: 6e-7 },
        },
        {
          model_name: "claude",
          litellm_params: { model: "anthropic/claude-sonnet-4-5" },
          model_info: {
            input_cost_per_token: 3e-6,
            output_cost_per_token: 1.5e-5,
            cache_read_input_token_cost: 3e-7,
            cache_creation_input_token_cost: 3.75e-6,
            input_cost_per_token_above_200k_tokens: 6e-6,
            output_cost_per_token_above_200k_tokens: 2.25e-5,
          },
        },
      ],
    }),
  );
  return { yaml, prices };
}

async function target() {
  const database = await installedDatabase();
  cases.push(database.drop);
  return database.url;
}

describe("gateway import litellm", () => {
  it("keeps keys working, and proves budgets, channels and prices", { timeout: 180_000 }, async () => {
    const from = await litellmDatabase(rows);
    cases.push(from.remove);
    const { yaml, prices } = await files();
    const url = await target();
    shellVariables["OPENAI_KEY"] = "sk-openai";
    const args = [
      "import",
      "litellm",
      "--from",
      from.from,
      "--config",
      yaml,
      "--prices",
      prices,
      "--salt-key",
      salt,
    ];
    const run = await cli(url, ...args, "--credit", "50", "--logs", "30", "--yes", "--json");
    expect(run.exitCode, run.err + run.out).toBe(0);
    const report = run.json() as ImportReport;
    const note = (code: string) => report.notes.find((each) => each.code === code);
    expect(report.proof).toMatchObject({
      balances_compared: 7,
      balances_different: 0,
      audit_drift: "0",
      keys_tried: 6,
      keys_failed: [],
      charges_compared: 1,
      charges_different: [],
    });
    expect(report.totals.users_quota.here).toBe(report.totals.users_quota.source);
    for (const code of [
      "token_without_key",
      "key_owner_gone",
      "team_account",
      "routing_strategy",
      "account_budget",
      "lost_LiteLLM_OrganizationTable",
      "channel_off",
      "key_rotated",
    ])
      expect(note(code), code).toBeDefined();
    expect(note("model_unpriced")?.examples).toEqual(["*", "gpt-4o"]);

    const database = connect(url, { max: 2 });
    cases.push(() => database.close());
    const { db, pool } = database;
    expect((await audit(pool)).drift).toBe(0n);
    const quota = async (username: string) => db.user.findUniqueOrThrow({ where: { username } });
    expect(await quota("ada@example.test")).toMatchObject({
      quota: 4_993_000n,
      used_quota: 7_000n,
      email: "ada@example.test",
    });
    expect(await quota("bob")).toMatchObject({ quota: -1_125_000n });
    expect(await quota("monthly")).toMatchObject({
      quota: 25_000_000n,
      budget: { monthly_spend: 10_000_000 },
    });
    expect(await quota("Research")).toMatchObject({ quota: 49_500_000n });
    expect(await quota("admin")).toMatchObject({ role: 100 });
    expect(await db.token.findFirst({ where: { name: "ada's key" } })).toMatchObject({
      billing_tag: "blue",
      unlimited_quota: true,
    });
    const loose = await db.token.findFirstOrThrow({ where: { remain_quota: 750_000n } });
    expect(loose).toMatchObject({ used_quota: 2_000_000n, setting: { rates: { requests_per_minute: 60 } } });

    const secrets = openSecrets(testSecretKey);
    const channels = await db.channel.findMany({
      include: { keys: true, models: true },
      orderBy: { id: "asc" },
    });
    const byModel = (model: string) =>
      channels.filter((channel) => channel.models.some((each) => each.model === model));
    const [fast, viaClaude] = byModel("fast").sort((a, b) => b.priority - a.priority);
    expect(fast).toMatchObject({
      type: 1,
      status: 1,
      model_mapping: { fast: "gpt-4o-mini", quick: "gpt-4o-mini" },
    });
    expect(viaClaude).toMatchObject({ type: 14, priority: 50, model_mapping: { fast: "claude-sonnet-4-5" } });
    const [slow] = byModel("slow");
    expect(slow).toMatchObject({ type: 3, status: 2, other: "2025-01-01" });
    // A variable that the environment of the import lacks: the console builds the text from the facts.
    expect(slow?.status_facts).toMatchObject([
      { code: "importVariable", params: { variable: expect.stringMatching(/^\w+$/) } },
    ]);
    expect(note("channel_off")).toMatchObject({
      text: `Channels that are disabled. ${slow?.status_reason}`,
      reason_facts: slow?.status_facts,
    });
    expect(byModel("openai/*")).toMatchObject([{ type: 1, model_mapping: { "openai/*": "*" } }]);
    expect(byModel("claude")).toMatchObject([{ weight: 200 }]);
    const [own] = byModel("own");
    expect(own).toMatchObject({
      type: 8,
      base_url: "http://10.0.0.5:8000",
      model_mapping: { own: "+inner" },
    });
    expect(own?.keys.map((key) => secrets.decrypt(key.key_encrypted, `channel:${own.id}`))).toEqual([
      "sk-from-credential",
    ]);

    const price = await db.price.findUniqueOrThrow({
      where: { model: "claude-sonnet-4-5" },
      include: { extras: true },
    });
    expect([Number(price.input), Number(price.output), price.tiers]).toEqual([
      1.5,
      7.5,
      [{ above: 200_000, input: "3", output: "11.25" }],
    ]);
    expect(Object.fromEntries(price.extras.map(({ kind, value }) => [kind, Number(value)]))).toMatchObject({
      cached_read_tokens: 0.1,
      cached_write_tokens: 1.25,
    });
    expect(await db.price.findUnique({ where: { model: "own" } })).toMatchObject({ locked: true });

    expect(await cli(url, ...args, "--yes")).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining("Nothing was changed."),
    });

    const gateway = await startImported(url);
    cases.unshift(() => gateway.stop());
    const status = async (key: string) => (await gateway.models(key)).status;
    expect(await status(adaKey)).toBe(200);
    expect(await status(rotatedKey)).toBe(200);
    expect(await status(teamKey)).toBe(200);
    expect(await status(blockedKey)).toBe(401);
    expect(await status("sk-unknown-0123456789abcdef")).toBe(401);
    expect((await gateway.chat(teamKey, "own")).status).toBe(403);
    expect(await gateway.signIn("ada@example.test", "correct horse")).toBe(true);
    expect(await gateway.signIn("ada@example.test", "wrong horse")).toBe(false);
  });

  it("reads the salt key and the address from places that other processes cannot see", async () => {
    const from = await litellmDatabase(rows);
    cases.push(from.remove);
    const url = await target();
    const file = join(tmpdir(), `salt-key-${process.pid}`);
    await writeFile(file, `${salt}\n`);
    const dryRun = (...more: string[]) => cli(url, "import", "litellm", "--dry-run", ...more);
    const visible = new URL(from.from);
    visible.password ||= "topsecret";

    const warned = await dryRun("--from", visible.href, "--salt-key", salt);
    expect(warned.exitCode, warned.err).toBe(0);
    expect(warned.err).toContain("can see --salt-key");
    expect(warned.err).toContain("can see the password in --from");
    expect(warned.err).not.toContain(salt);
    expect(warned.err).not.toContain(visible.password);

    shellVariables["OLD_GATEWAY_DATABASE"] = visible.href;
    const silent = await dryRun("--salt-key-file", file);
    expect(silent.exitCode, silent.err).toBe(0);
    expect(silent.err).not.toContain("Warning");
    shellVariables["LITELLM_SALT_KEY"] = salt;
    expect((await dryRun()).exitCode).toBe(0);
    shellVariables["LITELLM_SALT_KEY"] = "another";
    expect((await dryRun()).err).toContain("does not open");
  });

  it("needs no database where all models are in config.yaml", { timeout: 60_000 }, async () => {
    const { yaml } = await files();
    const url = await target();
    shellVariables["OPENAI_KEY"] = "sk-openai";
    const run = await cli(url, "import", "litellm", "--config", yaml, "--yes", "--json");
    expect(run.exitCode, run.err + run.out).toBe(0);
    expect(run.json()).toMatchObject({ product: "litellm", origin: yaml, ok: true });
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    const channels = await database.db.channel.findMany({ include: { models: true } });
    expect(channels.flatMap(({ models }) => models.map(({ model }) => model)).toSorted()).toEqual(
      expect.arrayContaining(["fast", "openai/*", "slow"]),
    );
    // Neither a database nor a file: the command says which of them it needs.
    const none = await cli(await target(), "import", "litellm", "--yes");
    expect(none.err).toContain("--from");
  });

  it("rejects what it cannot read before it writes anything, and reports what to do", async () => {
    const from = await litellmDatabase(rows);
    cases.push(from.remove);
    const url = await target();
    const refused = async (...more: string[]) => {
      const { exitCode, err } = await cli(url, "import", "litellm", "--from", from.from, "--yes", ...more);
      expect(exitCode).toBeGreaterThan(1);
      return err;
    };
    expect(await refused()).toContain("--salt-key-file");
    const file = join(tmpdir(), `salt-${process.pid}`);
    await writeFile(file, "\n");
    expect(await refused("--salt-key-file", file)).toContain("is empty");
    expect(await refused("--salt-key-file", `${file}-nowhere`)).toContain("cannot be read");
    expect(await refused("--salt-key-file", file, "--salt-key", salt)).toContain("cannot be used with");
    expect(await refused("--salt-key", "another")).toContain("does not open");
    expect(await refused("--config", "/nowhere/config.yaml")).toContain("cannot be read");
    const broken = join(tmpdir(), `broken-${process.pid}.yaml`);
    await writeFile(broken, "model_list: [\n  a: {");
    expect(await refused("--config", broken)).toContain("is not valid YAML");
    await writeFile(broken, "services: {}\nmodel_list: 5");
    expect(await refused("--config", broken)).toContain("is not a LiteLLM configuration");
    expect((await cli(url, "import", "one-hub", "--from", from.from, "--yes")).err).toContain(
      "gateway import litellm",
    );
    await from.run('ALTER TABLE "LiteLLM_VerificationToken" RENAME COLUMN spend TO spent');
    expect(await refused("--salt-key", salt)).toContain("Missing: LiteLLM_VerificationToken.spend");
    const database = connect(url, { max: 1 });
    cases.push(() => database.close());
    expect(await database.db.user.count()).toBe(0);
  });
});
