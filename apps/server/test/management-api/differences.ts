import { toFullChannelInput } from "#domain/channels/channel-row.ts";
import { getChannel } from "#domain/channels/channels.ts";
import type { Audit, Method, Row } from "./audit.ts";

/**
 * The deliberate differences from One Hub. docs/management-api.md shows this table, and a test compares both.
 * `check` proves what is stated under `here`.
 */
export interface Difference {
  call: string;
  oneHub: string;
  here: string;
  check(audit: Audit): Promise<void>;
}

/** Makes a channel, and returns its row. */
async function makeChannel({ ok, root, page }: Audit, name: string, more: object = {}): Promise<Row> {
  await ok(root, "POST", "/channel/", {
    type: 1,
    name,
    key: "sk-a",
    models: "gpt-4o",
    group: "default",
    ...more,
  });
  const [row] = page("channels", (await ok(root, "GET", `/channel/?name=${name}&order=-id`)).data);
  return row ?? { id: 0 };
}

async function makeUser({ site }: Audit, role = 1): Promise<Row> {
  const { id, username } = await site.makeUser({ role });
  return { id, username };
}

/** Sends a call that is accepted, and checks what its message names. */
async function names(
  audit: Audit,
  method: Method,
  url: string,
  body: object,
  words: string[],
): Promise<void> {
  const { json } = await audit.ok(audit.root, method, url, body);
  const message = String(json["message"]);
  audit.same(
    `${method} ${url}: ${message}`,
    words.filter((word) => !message.includes(word)),
    [],
  );
}

export const differences: readonly Difference[] = [
  {
    call: "every PUT",
    oneHub: "some reset what they leave out",
    here: "what is left out stays",
    async check(audit) {
      const { ok, root, user, same } = audit;
      const { id } = await makeChannel(audit, audit.named("partial"), {
        priority: 4,
        tag: "t",
        test_model: "gpt-4o",
      });
      const { row } = await ok(root, "PUT", "/channel/", { id, models: "o3" });
      same(
        "channel",
        [row["models"], row["priority"], row["tag"], row["test_model"]],
        ["o3", 4, "t", "gpt-4o"],
      );
      const token = { name: audit.named("partial"), remain_quota: 9, group: "default" };
      const made = (await ok(user, "POST", "/token/", token)).row;
      const changed = (await ok(user, "PUT", "/token/", { id: made.id, name: "renamed" })).row;
      same(
        "token",
        [changed["remain_quota"], changed["unlimited_quota"], changed["group"]],
        [9, false, "default"],
      );
    },
  },
  {
    call: "keys of channels and tags",
    oneHub: "shown",
    here: '`key` is `""`, `KeyMap` is `{}`; an empty key in a write keeps the stored one',
    async check(audit) {
      const { ok, root, same, site } = audit;
      const tag = audit.named("secret");
      const { id } = await makeChannel(audit, tag, { tag });
      const stored = async () =>
        (await site.services.db.channelKey.findMany({ where: { channel_id: id } })).map(
          (key) => key.key_hash,
        );
      const before = await stored();
      same("number of keys", before.length, 1);
      const row = (await ok(root, "GET", `/channel/${id}`)).row;
      const pattern = (await ok(root, "GET", `/channel_tag/${tag}`)).row;
      same("keys", [row["key"], pattern["key"], pattern["KeyMap"]], ["", "", {}]);
      await ok(root, "PUT", "/channel/", row);
      await ok(root, "PUT", `/channel_tag/${tag}`, pattern);
      same("stored key", await stored(), before);
    },
  },
  {
    call: "`POST /api/channel/` with several keys",
    oneHub: "no data",
    here: "the first channel; the message contains their number",
    async check(audit) {
      const { ok, root, same } = audit;
      const name = audit.named("several");
      const body = { type: 1, name, key: "sk-a\nsk-b", models: "gpt-4o", group: "default" };
      const { row, json } = await ok(root, "POST", "/channel/", body);
      same("channel", [row["name"], /2/.test(String(json["message"]))], [name, true]);
    },
  },
  {
    call: "a channel without a name, key, models or group, or with `weight` 0",
    oneHub: "accepted; without a group: `default`",
    here: "refused",
    async check(audit) {
      const { refused, root } = audit;
      const whole = { type: 1, name: audit.named("whole"), key: "sk-a", models: "gpt-4o", group: "default" };
      for (const part of ["name", "key", "models", "group"])
        await refused(root, "POST", "/channel/", { ...whole, [part]: "" });
      await refused(root, "POST", "/channel/", { ...whole, weight: 0 });
    },
  },
  {
    call: "`base_url` or `proxy` of a channel",
    oneHub: "any",
    here: "the key is required again when it changes, except from root",
    async check(audit) {
      const { ok, refused, root } = audit;
      const { id } = await makeChannel(audit, audit.named("address"));
      const admin = await audit.callerOf(await audit.site.makeUser({ role: 10 }));
      const moved = { id, base_url: "https://other.example" };
      await refused(admin, "PUT", "/channel/", moved);
      await ok(admin, "PUT", "/channel/", { ...moved, key: "sk-b" });
      await ok(root, "PUT", "/channel/", { id, base_url: "" });
    },
  },
  {
    call: "`PUT /api/option/` and `GET /api/option/` as an administrator",
    oneHub: "root only",
    here: "administrators with the permission for settings; root alone decides about sign-in",
    async check(audit) {
      const { ok, refused } = audit;
      const admin = await audit.callerOf(await audit.site.makeUser({ role: 10 }));
      await ok(admin, "PUT", "/option/", { key: "Footer", value: "" });
      await ok(admin, "GET", "/option/");
      await refused(admin, "PUT", "/option/", { key: "ServerAddress", value: "https://other.example" });
    },
  },
  {
    call: "`POST /api/user/manage` with `promote` as an administrator",
    oneHub: "root only",
    here: "administrators with all permissions",
    async check(audit) {
      const { ok, refused } = audit;
      const limited = { role: 10, permissions: { users: "edit" } };
      const user = await audit.site.makeUser({ role: 1 });
      const promote = { username: user.username, action: "promote" };
      await refused(
        await audit.callerOf(await audit.site.makeUser(limited)),
        "POST",
        "/user/manage",
        promote,
      );
      await ok(
        await audit.callerOf(await audit.site.makeUser({ role: 10 })),
        "POST",
        "/user/manage",
        promote,
      );
    },
  },
  {
    call: "`PUT /api/user/` with `role` 10 as an administrator",
    oneHub: "refused",
    here: "administrators with all permissions",
    async check(audit) {
      const { id } = await audit.site.makeUser({ role: 1 });
      const admin = await audit.callerOf(await audit.site.makeUser({ role: 10 }));
      await audit.ok(admin, "PUT", "/user/", { id, role: 10 });
    },
  },
  {
    call: "an account that an administrator demoted",
    oneHub: "can be changed by that administrator",
    here: "can be changed by root only",
    async check(audit) {
      const { ok, refused, root } = audit;
      const other = await audit.site.makeUser({ role: 10 });
      const admin = await audit.callerOf(await audit.site.makeUser({ role: 10 }));
      await ok(admin, "POST", "/user/manage", { username: other.username, action: "demote" });
      const renamed = { id: other.id, display_name: "Other" };
      await refused(admin, "PUT", "/user/", renamed);
      await ok(root, "PUT", "/user/", renamed);
    },
  },
  {
    call: "`POST /api/user/`",
    oneHub: "ignores `role`, `group`, `quota`",
    here: "ignores them and names them in `message`",
    async check(audit) {
      const { ok, root, page, same } = audit;
      const username = audit.named("ignored");
      const body = { username, password: "long-enough", role: 10, group: "vip", quota: 5 };
      await names(audit, "POST", "/user/", body, ["role", "group", "quota"]);
      const [row] = page("users", (await ok(root, "GET", `/user/?keyword=${username}`)).data);
      same("user", [row?.["role"], row?.["group"], row?.["quota"]], [1, "default", 0]);
    },
  },
  {
    call: "`PUT /api/user/`",
    oneHub: "ignores `quota` but logs a change",
    here: "ignores it and names it in `message`",
    async check(audit) {
      const { ok, root, page, same } = audit;
      const { id, username } = await makeUser(audit);
      await names(audit, "PUT", "/user/", { id, quota: 77 }, ["quota"]);
      same("balance", (await ok(root, "GET", `/user/${id}`)).row["quota"], 0);
      const rows = await ok(root, "GET", `/log/?log_type=3&username=${String(username)}`);
      same("log", page("log", rows.data), []);
    },
  },
  {
    call: "fields that a call does not change, such as `used_quota`",
    oneHub: "ignored or stored",
    here: "ignored and named in `message`, when they differ",
    async check(audit) {
      const { id } = await makeChannel(audit, audit.named("measured"));
      await names(audit, "PUT", "/channel/", { id, used_quota: 9, balance: 3 }, ["used_quota", "balance"]);
      const { row } = await audit.ok(audit.root, "GET", `/channel/${id}`);
      audit.same("channel", [row["used_quota"], row["balance"]], [0, 0]);
    },
  },
  {
    call: "`PUT /api/user/self` with a password",
    oneHub: "changes it without the current one",
    here: "refused; `PUT /api/user/self/password` requires it",
    async check({ refused, user, account }) {
      await refused(user, "PUT", "/user/self", { username: account.username, password: "another one" });
    },
  },
  {
    call: "`access_token` in rows",
    oneHub: "everyone's",
    here: '`""`; `GET /api/user/token` makes a new one. With a cookie it needs a session of the last 10 minutes',
    async check(audit) {
      const { ok, root, user, page, same } = audit;
      const list = page("users", (await ok(root, "GET", "/user/?size=100")).data);
      same("access tokens", [...new Set(list.map((row) => row["access_token"]))], [""]);
      same("own access token", (await ok(user, "GET", "/user/self")).row["access_token"], "");
    },
  },
  {
    call: "`POST /api/webauthn/registration/begin`",
    oneHub: "also with an access token",
    here: "needs a session of the last 10 minutes",
    async check({ ok, refused, user, transport }) {
      const begin = ["POST", "/webauthn/registration/begin", {}] as const;
      await (transport === "token" ? refused(user, ...begin, 403) : ok(user, ...begin));
    },
  },
  {
    call: "`GET /api/oauth/wechat/bind`, `GET /api/oauth/email/bind`",
    oneHub: "link an account or an address",
    here: "unknown addresses: the profile links accounts, `PUT /api/user/self/email` changes the address",
    async check({ refused, user }) {
      await refused(user, "GET", "/oauth/wechat/bind?code=x", undefined, 404);
      await refused(user, "GET", "/oauth/email/bind?email=a@example.com&code=x", undefined, 404);
    },
  },
  {
    call: "`GET /api/token/admin/search`",
    oneHub: "all keys",
    here: '`key` is `""`',
    async check({ ok, root, user, page, same, named }) {
      await ok(user, "POST", "/token/", { name: named("hidden"), remain_quota: 1 });
      const list = page("tokens", (await ok(root, "GET", "/token/admin/search?size=100")).data);
      same("keys", [...new Set(list.map((row) => row["key"]))], [""]);
    },
  },
  {
    call: "a group that does not exist",
    oneHub: "accepted",
    here: "refused",
    async check(audit) {
      const { refused, root, user } = audit;
      const { id } = await makeUser(audit);
      await refused(root, "PUT", "/user/", { id, group: "no-such-group" });
      await refused(user, "POST", "/token/", { name: "x", group: "no-such-group" });
    },
  },
  {
    call: "`POST /api/user/quota/:id`",
    oneHub: "below zero, unknown users, users of a higher role",
    here: "refused",
    async check(audit) {
      const { refused, root } = audit;
      const { id } = await makeUser(audit);
      await refused(root, "POST", `/user/quota/${id}`, { quota: -1 });
      await refused(root, "POST", "/user/quota/999999", { quota: 1 });
      const admin = await audit.callerOf(await audit.site.makeUser({ role: 10 }));
      await refused(admin, "POST", `/user/quota/${audit.rootAccount.id}`, { quota: 1 });
    },
  },
  {
    call: "unknown actions, settings, ids in a PUT",
    oneHub: "success without effect",
    here: "refused",
    async check(audit) {
      const { refused, root } = audit;
      const { username } = await makeUser(audit);
      await refused(root, "POST", "/user/manage", { username, action: "dance" });
      await refused(root, "POST", "/user/manage", { action: "disable" });
      await refused(root, "PUT", "/option/", { key: "NoSuchOption", value: "1" });
      await refused(root, "PUT", "/channel/", { id: 999_999, name: "x" });
      await refused(root, "PUT", "/user/", { id: 999_999, display_name: "x" });
    },
  },
  {
    call: "log lists",
    oneHub: "no failed calls",
    here: "none either, unless `log_type=5`",
    async check(audit) {
      const { ok, root, page, same, account, site, transport } = audit;
      await site.services.pool.query(
        `INSERT INTO request_logs (request_id, created_at, type, user_id, username, token_name, model_name, "group", quota)
         VALUES ($1, now(), 5, $2, $3, 'refused', 'gpt-4o', 'default', 0)`,
        [`refused-${transport}`, account.id, account.username],
      );
      const url = `/log/?username=${account.username}&token_name=refused`;
      same("failed calls", page("log", (await ok(root, "GET", url)).data), []);
      same("failed calls", page("log", (await ok(root, "GET", `${url}&log_type=5`)).data).length, 1);
    },
  },
  {
    call: "pages and sums of the log beyond 10,000 rows",
    oneHub: "take as long as they need",
    here: "refused after 10 seconds, with a request for a shorter period; 429 while 20 others wait, or 5 of the same user",
    // domain/logs/whole-reads.test.ts tests the limits. Here: a page behind them is read.
    async check({ ok, root, page, same }) {
      const { data } = await ok(root, "GET", "/log/?page=200&size=100&order=model_name");
      same("rows", page("log", data), []);
    },
  },
  {
    call: "secrets in `model_headers`, `proxy` and `custom_parameter`",
    oneHub: "shown",
    here: "masked; a masked value in a write keeps the stored one",
    async check(audit) {
      const { ok, root, same, site } = audit;
      const secret = "a-secret-of-a-header-1234567890";
      const headers = { authorization: `Bearer ${secret}` };
      const { id } = await makeChannel(audit, audit.named("masked"), {
        model_headers: JSON.stringify(headers),
      });
      const answer = await root("GET", `/channel/${id}`);
      same("secret in the response", answer.text.includes(secret), false);
      await ok(root, "PUT", "/channel/", answer.json["data"]);
      const stored = await getChannel(site.services.db, id);
      same("stored headers", toFullChannelInput(site.services.secrets, stored).model_headers, headers);
    },
  },
  {
    call: "`host`, `connection`, `content-length` and similar headers in `model_headers`",
    oneHub: "stored, and ignored or sent",
    here: "refused: the gateway sets them itself",
    async check(audit) {
      const { ok, refused, root } = audit;
      const { id } = await makeChannel(audit, audit.named("headers"), {});
      const row = (await ok(root, "GET", `/channel/${id}`)).data as object;
      const changed = { ...row, model_headers: JSON.stringify({ Host: "other.example" }) };
      await refused(root, "PUT", "/channel/", changed);
    },
  },
  {
    call: "`GET /api/channel/`",
    oneHub: "one row per tag",
    here: "all rows; `filter_tag=2` returns one per tag",
    async check(audit) {
      const { ok, root, page, same } = audit;
      const tag = audit.named("folded");
      await makeChannel(audit, tag, { tag, key: "sk-a\nsk-b" });
      const count = async (more: string) =>
        page("channels", (await ok(root, "GET", `/channel/?tag=${tag}${more}`)).data).length;
      same("rows", [await count(""), await count("&filter_tag=2")], [2, 1]);
    },
  },
  {
    call: "`GET /api/user/dashboard/uptimekuma/…`",
    oneHub: "a status page of Uptime Kuma",
    here: "unknown addresses; `UptimeEnabled` in `GET /api/status` is false",
    async check({ ok, refused, user, same }) {
      const page = "/user/dashboard/uptimekuma/status-page";
      await refused(user, "GET", page, undefined, 404);
      await refused(user, "GET", `${page}/heartbeat`, undefined, 404);
      same("UptimeEnabled", (await ok(user, "GET", "/status")).row["UptimeEnabled"], false);
    },
  },
  {
    call: "`GET /api/available_model`",
    oneHub: "models without a price cost 30",
    here: "models without a price cannot be called and are left out",
    async check(audit) {
      const { ok, user, same } = audit;
      const model = audit.named("unpriced");
      await makeChannel(audit, audit.named("unpriced"), { models: model });
      same("model", (await ok(user, "GET", "/available_model")).row[model], undefined);
    },
  },
  {
    call: "`GET /api/analytics/period`",
    oneHub: "sums of different currencies",
    here: "one row per day and currency",
    async check(audit) {
      const { ok, root, same, site, account, transport } = audit;
      const day = transport === "token" ? "2024-03-01" : "2024-03-02";
      const at = new Date(`${day}T10:00Z`);
      const gateway = {
        type: "epay",
        uuid: `gateway-${transport}`,
        name: "Paid",
        currency: "CNY",
      };
      const { id: gateway_id } = await site.services.db.paymentGateway.create({ data: gateway });
      for (const currency of ["USD", "CNY"])
        await site.services.db.order.create({
          data: {
            user_id: account.id,
            gateway_id,
            trade_no: `${transport}-${currency}`,
            amount: 10,
            order_amount: 10,
            order_currency: currency,
            quota: 5_000_000n,
            status: "success",
            created_at: at,
            updated_at: at,
          },
        });
      const second = at.getTime() / 1000;
      const { row } = await ok(
        root,
        "GET",
        `/analytics/period?start_timestamp=${second - 60}&end_timestamp=${second + 60}`,
      );
      same(
        "rows",
        (row["order_statistics"] as Row[]).map(({ date }) => date),
        [day, day],
      );
    },
  },
  {
    call: "amounts of orders",
    oneHub: "floating point",
    here: "exact, rounded half up",
    async check({ ok, root, user, named, page, same, payments }) {
      await ok(root, "PUT", "/option/", { key: "PaymentUSDRate", value: "7.3" });
      await ok(root, "PUT", "/option/", { key: "RechargeDiscount", value: '{"10":0.9}' });
      const config = JSON.stringify(payments.configs.epay);
      const gateway = { type: "epay", name: named("Exact"), currency: "CNY", percent_fee: 0.021, config };
      await ok(root, "POST", "/payment/", gateway, 201);
      const url = `/payment/?name=${gateway.name}`;
      const [row] = page("gateways", (await ok(root, "GET", url)).data);
      const made = (await ok(user, "POST", "/user/order", { uuid: row?.["uuid"], amount: 10 })).row;
      const { params } = made["data"] as { params: Row };
      // 10 × 0.9 × 1.021 = 9.189 → 9.19 USD; 9.19 × 7.3 = 67.087 → 67.09 CNY.
      same("amount", params["money"], "67.09");
    },
  },
];
