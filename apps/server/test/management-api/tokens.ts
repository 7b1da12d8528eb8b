import type { Audit } from "./audit.ts";
import { token } from "./shapes.ts";

const limits = {
  limit_model_setting: { enabled: false, models: null },
  limits_ip_setting: { enabled: true, whitelist: ["10.0.0.1"] },
};
const setting = { heartbeat: { enabled: false, timeout_seconds: 0 }, limits };

async function own(audit: Audit): Promise<void> {
  const { ok, refused, user, rows, page, same } = audit;
  const name = audit.named("key");
  await ok(user, "POST", "/token/", { name, remain_quota: 500 });
  await ok(user, "POST", "/token/", {
    name: audit.named("whole"),
    remain_quota: 500,
    expired_time: -1,
    unlimited_quota: false,
    group: "",
    backup_group: "",
    setting,
  });
  await ok(user, "POST", "/token/", { remain_quota: 0, expired_time: 0 });
  const list = page("tokens", (await ok(user, "GET", "/token/?page=1&size=10")).data);
  rows("tokens", list, token);
  rows(
    "setting",
    list.map((row) => row["setting"]),
    { heartbeat: "object", limits: "object" },
  );
  same("expiry of a token without one", new Set(list.map((row) => row["expired_time"])).size, 1);
  const [found] = page("keyword", (await ok(user, "GET", `/token/?keyword=${name}`)).data);
  same("a quota means a limit", [found?.["unlimited_quota"], found?.["remain_quota"]], [false, 500]);
  same("key", /^[A-Za-z0-9_-]{48,59}$/.test(String(found?.["key"])), true);
  same("keyword inside a name", page("keyword", (await ok(user, "GET", `/token/?keyword=ey-`)).data), []);
  for (const order of [
    "id",
    "-name",
    "status",
    "expired_time",
    "created_time",
    "-remain_quota",
    "used_quota",
  ])
    await ok(user, "GET", `/token/?order=${order}`);
  await refused(user, "GET", "/token/?order=key");

  const id = found?.id;
  rows("token", (await ok(user, "GET", `/token/${id}`)).data, token);
  const put = (values: object) => ok(user, "PUT", "/token/", { id, ...values });
  const changed = (await put({ ...found, name: "changed", remain_quota: 900 })).row;
  rows("PUT of a token", changed, token);
  same("PUT of a token", [changed["name"], changed["remain_quota"]], ["changed", 900]);
  same("PUT of a name", (await put({ name: "again" })).row["remain_quota"], 900);
  same("PUT of a limit", (await put({ remain_quota: 77 })).row["unlimited_quota"], false);
  await ok(user, "PUT", "/token/?status_only=true", { id, status: 2 });
  same("status", (await ok(user, "GET", `/token/${id}`)).row["status"], 2);
  await ok(user, "PUT", "/token/?status_only=1", { id, status: 1 });
  rows("playground", await ok(user, "GET", "/token/playground"), { data: "text" });
  const heartbeat = { ...setting, heartbeat: { enabled: true, timeout_seconds: 10 } };
  await refused(user, "POST", "/token/", { name: "heartbeat", setting: heartbeat });
  await refused(user, "GET", "/token/999999");
  await refused(user, "DELETE", "/token/999999");
  await ok(user, "DELETE", `/token/${id}`);
  await refused(user, "GET", `/token/${id}`);
}

async function ofAdministrators(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, page, same, account, rootAccount } = audit;
  await ok(user, "POST", "/token/", { name: audit.named("administered"), remain_quota: 500 });
  const search = async (query: string) =>
    page(query, (await ok(root, "GET", `/token/admin/search?${query}`)).data);
  const list = await search(`user_id=${account.id}&page=1&size=10`);
  rows("tokens of a user", list, { ...token, owner_name: "text" });
  const [found] = await search(`keyword=${audit.named("administered")}&order=-id`);
  const id = found?.id;
  same("token by id", (await search(`token_id=${id}`)).length, 1);
  await ok(root, "PUT", "/token/admin?status_only=true", { id, status: 2 });
  same("status", (await search(`token_id=${id}`))[0]?.["status"], 2);
  await ok(root, "PUT", "/token/admin", { ...found, name: "by admin" });
  same("name", (await search(`token_id=${id}`))[0]?.["name"], "by admin");
  await ok(root, "PUT", "/token/admin", { id, user_id: rootAccount.id });
  same("owner", (await search(`token_id=${id}`))[0]?.["user_id"], rootAccount.id);
  await refused(root, "PUT", "/token/admin", { id, user_id: 999_999 });
  await refused(user, "GET", "/token/admin/search");
  await refused(user, "PUT", "/token/admin", { id, status: 1 });
}

export const tokenChecks = { "tokens of a user": own, "tokens of all users": ofAdministrators };
