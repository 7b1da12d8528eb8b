import type { TokenRow } from "@gateway/shared/accounts/token";
import type { ChannelRow } from "@gateway/shared/channels/channel";
import type { UserGroupDetail } from "@gateway/shared/channels/group";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { explainDuplicate } from "#domain/accounts/new-user.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";
import { during } from "#test/overlap.ts";

/** Changes that run at the same time and must not both succeed. */
let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

describe("a group that is being deleted", () => {
  const shape = { name: "Team", ratio: 2, api_rate: 60, public: true, promotion: false, min: 0, max: 0 };
  const create = async (symbol: string) =>
    (await admin.send<UserGroupDetail>("POST", "/api/user_group", { ...shape, symbol })).body.data;
  const locked = "SELECT FROM user_groups WHERE id = $1 FOR UPDATE";

  it("is not given to a user, a token or a channel", async () => {
    const person = await site.makeUser();
    const browser = await site.as(person);
    const token = await browser.send<TokenRow>("POST", "/api/token", { name: "t" });
    const channel = { type: 1, name: "c", key: "k", models: ["m"], groups: ["default"] };
    const { id } = (await admin.send<ChannelRow>("POST", "/api/channel", channel)).body.data;
    const takers = {
      user: (group: string) => admin.send("PUT", "/api/user", { id: person.id, group }),
      token: (group: string) => browser.send("PUT", `/api/token/${token.body.data.id}`, { group }),
      channel: (group: string) => admin.send("PUT", "/api/channel", { id, groups: ["default", group] }),
    };
    for (const [name, take] of Object.entries(takers)) {
      const group = await create(`going_${name}`);
      const answer = await during(
        site.database,
        [locked, group.id],
        (client) => client.query("DELETE FROM user_groups WHERE id = $1", [group.id]),
        () => take(group.symbol),
      );
      expect([400, 403], name).toContain(answer.status);
    }
  });

  it("stays when someone gets it before", async () => {
    const group = await create("staying");
    const person = await site.makeUser();
    const answer = await during(
      site.database,
      ["SELECT FROM user_groups WHERE id = $1 FOR KEY SHARE", group.id],
      (client) => client.query(`UPDATE users SET "group" = 'staying' WHERE id = $1`, [person.id]),
      () => admin.send("DELETE", `/api/user_group/${group.id}`),
    );
    expect(answer.status).toBe(409);
  });
});

describe("two administrators", () => {
  it("cannot demote or disable each other in the same moment", async () => {
    for (const action of ["demote", "disable"]) {
      const pair = [await site.makeUser({ role: 10 }), await site.makeUser({ role: 10 })] as const;
      const [first, second] = pair;
      const browser = await site.as(second);
      const answer = await during(
        site.database,
        ["SELECT FROM users WHERE id = $1 FOR UPDATE", first.id],
        (client) =>
          client.query(`UPDATE users SET ${action === "demote" ? "role = 1" : "status = 2"} WHERE id = $1`, [
            second.id,
          ]),
        () => browser.send("POST", "/api/user/manage", { username: first.username, action }),
      );
      expect(answer.status, action).toBe(403);
      expect(await site.services.db.user.findUniqueOrThrow({ where: { id: first.id } })).toMatchObject({
        role: 10,
        status: 1,
      });
    }
  });

  it("who demote each other at once leave one of them", async () => {
    for (let round = 0; round < 3; round += 1) {
      const pair = [await site.makeUser({ role: 10 }), await site.makeUser({ role: 10 })] as const;
      const [one, other] = [await site.as(pair[0]), await site.as(pair[1])];
      const demote = (browser: Browser, username: string) =>
        browser.send("POST", "/api/user/manage", { username, action: "demote" });
      const answers = await Promise.all([demote(one, pair[1].username), demote(other, pair[0].username)]);
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 403]);
    }
  });
});

describe("a change of some fields", () => {
  /** Each kind: what creates an object, where it is changed, and a column that another change writes meanwhile. */
  const price = { model: "overlapping", type: "tokens", channel_type: 1, input: 1, output: 1 };
  const group = { symbol: "overlapping", name: "a", ratio: 2, api_rate: 60, min: 0, max: 0 };
  const config = { pay_domain: "https://pay.example", partner_id: "1", key: "secret", pay_type: "alipay" };
  const gateway = { type: "epay", name: "a", icon: "card", currency: "CNY", config };
  const kinds: {
    table: string;
    path: string;
    created: object;
    change?: object;
    column: string;
    /** In version 2, some bodies are whole. */
    versions: string[];
  }[] = [
    {
      table: "redemptions",
      path: "/api/redemption",
      created: { name: "a", quota: 1 },
      column: "quota",
      versions: ["2", "1"],
    },
    { table: "user_groups", path: "/api/user_group", created: group, column: "ratio", versions: ["2", "1"] },
    { table: "payments", path: "/api/payment", created: gateway, column: "fixed_fee", versions: ["2", "1"] },
    {
      table: "model_info",
      path: "/api/model_info",
      created: { model: "overlapping" },
      column: "max_tokens",
      versions: ["1"],
    },
    {
      table: "prices",
      path: "/api/prices/single",
      created: price,
      change: { locked: true },
      column: "input",
      versions: ["1"],
    },
  ];

  it.each(kinds)("of $table keeps the other fields of one that overlaps with it", async (kind) => {
    const { table, path, created, change = { name: "b" }, column, versions } = kind;
    const made = await admin.send<{ id: number } | { id: number }[]>("POST", path, created);
    expect(made.body, JSON.stringify(made.body)).toMatchObject({ success: true });
    const { id } = [made.body.data].flat()[0] ?? { id: 0 };
    const isPrice = table === "prices";
    const where = isPrice ? "model = 'overlapping'" : `id = ${id}`;
    for (const [index, version] of versions.entries()) {
      const answer = await during(
        site.database,
        [isPrice ? "LOCK TABLE prices" : `SELECT FROM ${table} WHERE ${where} FOR UPDATE`],
        (client) => client.query(`UPDATE ${table} SET ${column} = ${7 + index} WHERE ${where}`),
        () =>
          admin.send(
            "PUT",
            isPrice ? `${path}/overlapping` : path,
            { id, ...change },
            { "api-version": version },
          ),
      );
      expect(answer.body, version).toMatchObject({ success: true });
      const { rows } = await site.database.pool.query<Record<string, unknown>>(
        `SELECT * FROM ${table} WHERE ${where}`,
      );
      expect(rows[0], version).toMatchObject(change);
      expect(Number(rows[0]?.[column]), version).toBe(7 + index);
    }
  });
});

describe("a token that an administrator gives to another user", () => {
  it("is neither disabled nor deleted by its former owner any more", async () => {
    const [former, owner] = [await site.makeUser(), await site.makeUser()];
    const browser = await site.as(former);
    for (const [method, body] of [
      ["PATCH", { status: 2 }],
      ["DELETE", undefined],
    ] as const) {
      const { id } = (await browser.send<TokenRow>("POST", "/api/token", { name: "t" })).body.data;
      const answer = await during(
        site.database,
        ["SELECT FROM tokens WHERE id = $1 FOR NO KEY UPDATE", id],
        (client) => client.query("UPDATE tokens SET user_id = $2 WHERE id = $1", [id, owner.id]),
        () => browser.send(method, `/api/token/${id}`, body),
      );
      expect(answer.status).toBe(404);
      const row = await site.services.db.token.findUniqueOrThrow({ where: { id } });
      expect(row).toMatchObject({ user_id: owner.id, status: 1, deleted_at: null });
    }
  });
});

describe("a name or an email address that was taken after the check", () => {
  it("is reported as what it is", async () => {
    const { db } = site.services;
    const taken = await site.makeUser({ email: "taken@example.com" });
    const insert = (data: object) =>
      db.user
        .create({ data: { username: `n${Math.random()}`, aff_code: `a${Math.random()}`, ...data } })
        .catch((error: unknown) => explainDuplicate(error));
    const reasonOf = { email: { email: "taken@example.com" }, username: { username: taken.username } };
    for (const [field, data] of Object.entries(reasonOf))
      expect(await insert(data)).toMatchObject({ status: 409, params: { reason: `${field}_taken` } });
  });
});
