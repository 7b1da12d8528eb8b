import { type Difference, makeUser, names } from "./difference.ts";

export const accountDifferences: readonly Difference[] = [
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
];
