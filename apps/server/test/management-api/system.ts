import type { Audit } from "./audit.ts";
import { order, payment, paymentChoice, site as siteShape, telegramMenu } from "./shapes.ts";

/** Every option of One Hub that a caller can read. */
const optionNames = `PasswordLoginEnabled PasswordRegisterEnabled RegisterEnabled EmailVerificationEnabled
  EmailDomainRestrictionEnabled EmailDomainWhitelist GitHubOAuthEnabled GitHubOldIdCloseEnabled GitHubClientId
  WeChatAuthEnabled WeChatServerAddress WeChatAccountQRCodeImageURL LarkAuthEnabled OIDCAuthEnabled OIDCClientId
  OIDCIssuer OIDCScopes OIDCUsernameClaims TurnstileCheckEnabled TurnstileSiteKey TurnstileSecretKey SMTPServer
  SMTPPort SMTPAccount SMTPFrom ServerAddress SystemName Logo Footer AnalyticsCode Notice About HomePageContent
  QuotaForNewUser QuotaForInviter QuotaForInvitee QuotaRemindThreshold PreConsumedQuota QuotaPerUnit
  DisplayInCurrencyEnabled ApproximateTokenEnabled LogConsumeEnabled ChannelDisableThreshold
  AutomaticDisableChannelEnabled AutomaticEnableChannelEnabled DisableChannelKeywords RetryTimes
  RetryCooldownSeconds RetryTimeOut MjNotifyEnabled ChatImageRequestProxy CFWorkerImageUrl CFWorkerImageKey
  TopUpLink ChatLink ChatLinks PaymentUSDRate PaymentMinAmount RechargeDiscount OldTokenMaxId GeminiAPIEnabled
  ClaudeAPIEnabled ClaudeBudgetTokensPercentage ClaudeDefaultMaxTokens GeminiOpenThink EnableSafe SafeToolName
  SafeKeyWords`.split(/\s+/);

const changes: [string, string][] = [
  ["RetryTimes", "3"],
  ["AutomaticDisableChannelEnabled", "true"],
  ["PaymentUSDRate", "7.2"],
  ["RechargeDiscount", '{"10":0.9}'],
  ["EmailDomainWhitelist", "gmail.com,qq.com"],
  ["DisableChannelKeywords", "a phrase\nanother"],
  ["ClaudeDefaultMaxTokens", '{"default":8192}'],
  ["ChatLinks", '[{"name":"a","url":"https://x.example?k={key}","show":true,"sort":1}]'],
  ["Notice", "hello"],
  ["SafeKeyWords", "ab\nbc"],
  ["ServerAddress", "https://ai.example.com"],
  ["QuotaForNewUser", "0"],
];

async function options(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, same } = audit;
  const read = async () => (await ok(root, "GET", "/option/")).list;
  const saved = await read();
  rows("options", saved, { key: "text", value: "text" });
  const names = new Set(saved.map((row) => row["key"]));
  same(
    "missing options",
    optionNames.filter((name) => !names.has(name)),
    [],
  );
  same(
    "secrets",
    saved.filter((row) => /(Token|Secret)$/.test(String(row["key"]))),
    [],
  );
  for (const option of saved) await ok(root, "PUT", "/option/", option);
  same("options written back", await read(), saved);
  for (const [key, value] of changes) {
    await ok(root, "PUT", "/option/", { key, value });
    same(key, (await read()).find((row) => row["key"] === key)?.["value"], value);
  }
  for (const key of ["GitHubClientSecret", "SMTPToken"])
    await ok(root, "PUT", "/option/", { key, value: "secret" });
  await refused(root, "PUT", "/option/", [], 400);
  await refused(root, "PUT", "/option/", { key: "OIDCAuthEnabled", value: "true" });
  await refused(user, "GET", "/option/");
  same("safety tools", (await ok(root, "GET", "/option/safe_tools")).data, ["Keyword"]);
  for (const path of ["/option/system_info/log", "/system_info/log"]) {
    const lines = (await ok(root, "POST", path, { count: 5 })).data;
    rows("system log", lines, { Timestamp: "text", Level: "text", Message: "text" });
    await refused(root, "POST", path, { count: 0 }, 400);
  }
  for (const what of ["gen", "update"]) {
    await ok(root, "POST", `/option/invoice/${what}/2025-01-01`);
    await refused(root, "POST", `/option/invoice/${what}/abc`);
  }
}

async function telegram(audit: Audit): Promise<void> {
  const { ok, refused, root, rows, page, same, transport } = audit;
  const menu = {
    command: `cmd${transport}`,
    description: "d",
    parse_mode: "MarkdownV2",
    reply_message: "hi",
  };
  await ok(root, "POST", "/option/telegram", menu);
  await refused(root, "POST", "/option/telegram", menu);
  const list = page("menus", (await ok(root, "GET", "/option/telegram?page=1&size=10&order=-id")).data);
  rows("menus", list, telegramMenu);
  const [found] = list;
  await ok(root, "POST", "/option/telegram", { ...found, description: "dd", parse_mode: "html" });
  const changed = (await ok(root, "GET", `/option/telegram/${found?.id}`)).row;
  rows("menu", changed, telegramMenu);
  same("menu", [changed["description"], changed["parse_mode"]], ["dd", "html"]);
  await ok(root, "DELETE", `/option/telegram/${found?.id}`);
  rows("bot", (await ok(root, "GET", "/option/telegram/status")).data, {
    status: "bool",
    is_webhook: "bool",
  });
  await refused(root, "PUT", "/option/telegram/reload");
}

async function payments(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, page, same, account, now } = audit;
  const config = JSON.stringify(audit.payments.configs.epay);
  await ok(
    root,
    "POST",
    "/payment/",
    { type: "epay", name: audit.named("Pay"), currency: "CNY", config },
    201,
  );
  await refused(root, "POST", "/payment/", { type: "epay", name: "x" }, 500);
  const list = page("gateways", (await ok(root, "GET", "/payment/?page=1&size=10&order=-id")).data);
  rows("gateways", list, payment);
  const [gateway] = list;
  const id = gateway?.id;
  const filters = ["type=epay", "name=Pay", `uuid=${String(gateway?.["uuid"])}`, "currency=CNY"];
  const columns = ["uuid", "name", "type", "-sort", "enable", "created_at"];
  for (const query of [...filters, ...columns.map((column) => `order=${column}`)])
    same(query, page(query, (await ok(root, "GET", `/payment/?${query}`)).data).length > 0, true);
  const read = async () => (await ok(root, "GET", `/payment/${id}`)).row;
  await ok(root, "PUT", "/payment/", { ...gateway, name: "Renamed" });
  await ok(root, "PUT", "/payment/", { id, enable: false });
  const off = await read();
  rows("gateway", off, payment);
  same("gateway", [off["name"], off["enable"], off["config"]], ["Renamed", false, gateway?.["config"]]);
  await ok(root, "PUT", "/payment/", { id, enable: true });
  await ok(root, "PUT", "/payment/", { id, sort: 4 });

  const uuid = gateway?.["uuid"];
  rows("choices", (await ok(user, "GET", "/user/payment")).data, paymentChoice);
  const made = (await ok(user, "POST", "/user/order", { uuid, amount: 10 })).row;
  rows("order", made, { trade_no: "text", type: "int", data: "object" });
  const form = made["data"] as Record<string, unknown>;
  rows("form", form, { url: "text", params: "object" });
  same("form", form["method"], "POST");
  const state = await user("GET", `/user/order/status?trade_no=${String(made["trade_no"])}`);
  same("order that is not paid", [state.status, state.json["success"]], [200, false]);
  await refused(user, "POST", "/user/order", { uuid, amount: 0 });
  await refused(user, "POST", "/user/order", { uuid: "nothing", amount: 10 });
  const search = [
    `user_id=${account.id}`,
    `gateway_id=${id}`,
    `trade_no=${String(made["trade_no"])}`,
    "status=pending",
    `start_timestamp=${now - 9}&end_timestamp=${now + 600}`,
    ...["-id", "created_at", "gateway_id", "user_id", "status"].map((column) => `order=${column}`),
  ];
  for (const query of search)
    rows(query, page(query, (await ok(root, "GET", `/payment/order?${query}`)).data), order);
  page("gateway_no", (await ok(root, "GET", "/payment/order?gateway_no=x")).data);
  await ok(root, "DELETE", `/payment/${id}`);
  await refused(root, "GET", `/payment/${id}`);
  await ok(root, "DELETE", "/payment/999999");
}

async function publicRoutes(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, same, transport } = audit;
  rows("site", (await ok(root, "GET", "/status")).data, siteShape);
  for (const path of ["/notice", "/about", "/home_page_content", "/oauth/state"])
    rows(path, await ok(root, "GET", path), { data: "text" });
  await refused(root, "GET", "/oauth/endpoint");
  for (const provider of ["github", "oidc"])
    await refused(root, "GET", `/oauth/${provider}?code=x`, undefined, 403);
  await refused(root, "GET", "/oauth/lark?code=x");
  await refused(root, "GET", "/oauth/wechat?code=x");
  await refused(root, "GET", "/verification?email=nothing");
  await refused(root, "GET", "/reset_password?email=nothing");
  await refused(root, "POST", "/user/reset", { email: "a@example.com", token: "x" });
  await refused(root, "POST", "/user/register", { username: "x", password: "y" });
  await refused(root, "POST", "/user/login", { username: "no-one", password: "wrong password" });
  rows("passkeys", await ok(user, "GET", "/webauthn/credentials"), { data: "list" });
  await refused(user, "DELETE", "/webauthn/credentials/999999", undefined, 404);
  for (const step of ["registration/finish", "login/finish"])
    await refused(user, "POST", `/webauthn/${step}`, {}, 400);
  if (transport === "cookie") {
    const begun = await ok(user, "POST", "/webauthn/registration/begin", { alias: "a" });
    rows("new passkey", begun.data, { publicKey: "object" });
  }
  rows("passkey", (await ok(root, "POST", "/webauthn/login/begin", {})).data, { publicKey: "object" });
  same("unknown route", (await root("GET", "/nothing/here")).status, 404);
  rows("access token", await ok(user, "GET", "/user/token"), { data: "text" });
  if (transport === "token") same("old access token", (await user("GET", "/user/self")).status, 401);
  await ok(root, "GET", "/user/logout");
  if (transport === "cookie") same("session after its end", (await root("GET", "/user/self")).status, 401);
}

export const systemChecks = {
  options,
  "menus of the Telegram bot": telegram,
  "payment gateways and orders": payments,
  // Replaces the access token and ends the session, so it is the last one.
  "public routes, sign-in, and the access token": publicRoutes,
};
