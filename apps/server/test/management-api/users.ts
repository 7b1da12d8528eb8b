import type { Audit, Row } from "./audit.ts";
import { group, usageByModel, user as userRow } from "./shapes.ts";

async function administration(audit: Audit): Promise<void> {
  const { ok, refused, root, rows, page, same, transport } = audit;
  const username = audit.named("new");
  const password = "long-enough";
  const made = { username, password, display_name: "New", role: 1, quota: 100, group: "vip", email: "" };
  await ok(root, "POST", "/user/", made);
  await refused(root, "POST", "/user/", { username, password });
  await refused(root, "POST", "/user/", { username: "x".repeat(40), password: "1" });
  const list = page(
    "users",
    (await ok(root, "GET", `/user/?keyword=${username}&page=1&size=10&order=-id`)).data,
  );
  rows("users", list, userRow);
  for (const order of [
    "id",
    "username",
    "role",
    "status",
    "created_time",
    "last_login_time",
    "last_login_ip",
  ])
    await ok(root, "GET", `/user/?order=-${order}`);
  const [found] = list;
  const id = found?.id;
  for (const keyword of [String(id), "New", "default"]) await ok(root, "GET", `/user/?keyword=${keyword}`);
  const read = async () => (await ok(root, "GET", `/user/${id}`)).row;
  rows("user", await read(), userRow);
  await ok(root, "PUT", "/user/", { ...found, display_name: "Other", group: "vip" });
  const parts: Record<string, unknown>[] = [
    { username: audit.named("nn") },
    { display_name: "D" },
    { status: 2 },
    { status: 1 },
    { email: `a-${transport}@example.com` },
    { group: "default" },
    { avatar_url: "https://x.example/a.png" },
    { role: 10 },
    { role: 1 },
    { telegram_id: 4242 + transport.length },
    { wechat_id: `w-${transport}` },
    { lark_id: `l-${transport}` },
    { oidc_id: `o-${transport}` },
    { github_id_new: 99 + transport.length, github_id: `octo-${transport}` },
  ];
  for (const part of parts) {
    await ok(root, "PUT", "/user/", { id, ...part });
    const row = await read();
    for (const [name, value] of Object.entries(part)) same(`PUT ${name}`, row[name], value);
  }
  await ok(root, "PUT", "/user/", { id, password: "another-password" });
  await ok(root, "PUT", "/user/", { id, display_name: "", email: "", role: 0, status: 0 });
  const kept = await read();
  same("empty fields", [kept["display_name"], kept["role"], kept["status"]], ["D", 1, 1]);
  await balancesAndActions(audit, kept);
}

async function balancesAndActions(audit: Audit, { id, username }: Row): Promise<void> {
  const { ok, refused, root, user, rows, same, site } = audit;
  await ok(root, "POST", `/user/quota/${id}`, { quota: 1000, remark: "x" });
  await ok(root, "POST", `/user/quota/${id}`, { quota: -100 });
  same("balance", (await ok(root, "GET", `/user/${id}`)).row["quota"], 900);
  await refused(root, "POST", `/user/quota/${id}`, { quota: 0 });
  const states: [string, Record<string, unknown>][] = [
    ["disable", { status: 2 }],
    ["enable", { status: 1 }],
    ["set_reliable", { role: 3 }],
    ["demote", { role: 1 }],
    ["promote", { role: 10 }],
    ["demote", { role: 1 }],
  ];
  for (const [action, state] of states) {
    const { row } = await ok(root, "POST", "/user/manage", { username, action });
    rows(action, row, userRow);
    for (const [name, value] of Object.entries(state)) same(action, row[name], value);
  }
  await ok(root, "POST", "/user/manage", { username, action: "delete" });
  await refused(root, "GET", `/user/${id}`);
  const gone = await site.makeUser({ role: 1 });
  await ok(root, "DELETE", `/user/${gone.id}`);
  await refused(root, "GET", "/user/999999");
  await refused(root, "DELETE", "/user/999999");
  for (const [method, url] of [
    ["GET", "/user/"],
    ["GET", `/user/${id}`],
    ["DELETE", `/user/${id}`],
  ] as const)
    await refused(user, method, url);
}

async function ownAccount(audit: Audit): Promise<void> {
  const { ok, refused, user, rows, page, same, account, site, transport } = audit;
  rows("own account", (await ok(user, "GET", "/user/self")).data, userRow);
  await ok(user, "PUT", "/user/self", { username: account.username, display_name: "Me", password: "" });
  same("display name", (await ok(user, "GET", "/user/self")).row["display_name"], "Me");
  await ok(user, "POST", "/user/unbind", { type: "github" });
  await refused(user, "POST", "/user/unbind", { type: "nothing" });
  rows("invitation code", await ok(user, "GET", "/user/aff"), { data: "text" });
  await site.services.pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota, prompt_tokens,
       completion_tokens, request_time)
     VALUES (date_trunc('hour', now()), $1, 0, 7, $2, 'default', 3, 75, 30, 20, 900)`,
    [account.id, `used-${transport}`],
  );
  const { list } = await ok(user, "GET", "/user/dashboard");
  rows("dashboard", list, usageByModel);
  same("dashboard", [list[0]?.["RequestCount"], list[0]?.["ModelName"]], [3, `used-${transport}`]);
  const rate = {
    rpm: "number",
    maxRPM: "number",
    usageRpmRate: "number",
    tpm: "number",
    maxTPM: "number",
  } as const;
  rows("rate", (await ok(user, "GET", "/user/dashboard/rate")).data, { ...rate, usageTpmRate: "number" });
  page("invoices", (await ok(user, "GET", "/user/invoice?page=1&size=10&order=-date")).data);
  for (const order of [
    "date",
    "request_count",
    "quota",
    "prompt_tokens",
    "completion_tokens",
    "request_time",
  ])
    await ok(user, "GET", `/user/invoice?order=${order}`);
  rows("invoice", await ok(user, "GET", "/user/invoice/detail?date=2025-01-01"), { data: "list" });
}

async function groups(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, page, same } = audit;
  const symbol = audit.named("g");
  const made = (await ok(root, "POST", "/user_group/", { symbol, name: "G" })).row;
  rows("group", made, group);
  same("defaults", [made["ratio"], made["api_rate"], made["public"], made["enable"]], [1, 600, false, true]);
  rows(
    "groups",
    page("groups", (await ok(root, "GET", "/user_group/?page=1&size=10&order=-id")).data),
    group,
  );
  for (const query of ["order=id", "order=name", "order=-enable", "name=G", "enable=true"])
    page(query, (await ok(root, "GET", `/user_group/?${query}`)).data);
  const { id } = made;
  await ok(root, "PUT", "/user_group/", { ...made, ratio: 0.8 });
  await ok(root, "PUT", `/user_group/enable/${id}`);
  const changed = (await ok(root, "GET", `/user_group/${id}`)).row;
  same("group after PUT", [changed["ratio"], changed["enable"]], [0.8, false]);
  await ok(root, "DELETE", `/user_group/${id}`);
  await refused(root, "GET", `/user_group/${id}`);
  await refused(root, "DELETE", "/user_group/1");
  await refused(root, "PUT", "/user_group/enable/1");
  rows("map of groups", Object.values((await ok(user, "GET", "/user_group_map")).row), group);
  rows("symbols", await ok(root, "GET", "/group/"), { data: "list" });
}

export const userChecks = {
  "users: rows, parts, balances, actions": administration,
  "the own account": ownAccount,
  "user groups": groups,
};
