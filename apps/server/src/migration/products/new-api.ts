import { groupsOf, objectOption, shortNumber } from "#migration/family/go-options.ts";
import { midjourneyTasks } from "#migration/family/midjourney.ts";
import { readRedemptions } from "#migration/family/redemptions.ts";
import { limitsOf, readTokens } from "#migration/family/tokens.ts";
import { readPasskeys, readSecondFactors, readUsers } from "#migration/family/users.ts";
import type {
  GroupRecord,
  ModelInfoRecord,
  OrderRecord,
  PaymentRecord,
  TaskRecord,
} from "#migration/records.ts";
import {
  cut,
  decimal,
  deletion,
  flag,
  int,
  list,
  parsed,
  points,
  record,
  seconds,
  text,
} from "#migration/row.ts";
import { newApiChannels } from "./new-api-channels.ts";
import { newApiColumns } from "./new-api-columns.ts";
import { newApiCharges, newApiLogs, newApiUsage } from "./new-api-history.ts";
import { newApiPrices } from "./new-api-prices.ts";
import { newApiSettings } from "./new-api-settings.ts";
import type { Product, ReadContext } from "./product.ts";

export const newApi: Product = {
  id: "new-api",
  title: "New API",
  known: newApiColumns,
  required: {
    users: "id username password quota used_quota group linux_do_id",
    tokens: "id user_id key status expired_time remain_quota unlimited_quota model_limits",
    channels: "id type key models group channel_info",
    options: "key value",
  },
  groups,
  users: readUsers,
  passkeys: (context) => readPasskeys(context, "passkey_credentials"),
  secondFactors: readSecondFactors,
  tokens: (context) =>
    readTokens(context, {
      accepts: (key) => !key.includes("-"),
      setting: (row) =>
        limitsOf(
          flag(row, "model_limits_enabled") ? list(text(row, "model_limits")) : [],
          list(text(row, "allow_ips"), /[\n,]/),
        ),
      groups: (row) => tokenGroups(context, text(row, "group").trim(), int(row, "id")),
      billingTag: () => "",
    }),
  channels: newApiChannels,
  prices: newApiPrices,
  redemptions: readRedemptions,
  payments,
  orders,
  tasks,
  modelInfo,
  usage: newApiUsage,
  logs: newApiLogs,
  charges: newApiCharges,
  settings: newApiSettings,
};

async function* groups(context: ReadContext): AsyncGenerator<GroupRecord> {
  const limits = objectOption(context, "ModelRequestRateLimitGroup");
  const isLimited = context.options.get("ModelRequestRateLimitEnabled") === "true";
  const minutes = Number(context.options.get("ModelRequestRateLimitDurationMinutes")) || 1;
  yield* groupsOf(context, objectOption(context, "UserUsableGroups"), (symbol) => {
    const limit = limits[symbol];
    const count = Array.isArray(limit) ? Number(limit[0]) : 0;
    return isLimited && count > 0 ? Math.max(1, Math.floor(count / minutes)) : undefined;
  });
  await noteLost(context);
  for (const lost of ["GroupGroupRatio", "TopupGroupRatio"])
    if (Object.keys(objectOption(context, lost)).length > 0)
      context.book.attention("group_ratios_lost", lost);
}

/** Tables without a counterpart that mean money to someone. */
async function noteLost({ source, book, now }: ReadContext): Promise<void> {
  if (source.columns.has("user_subscriptions"))
    for await (const row of source.rows({ table: "user_subscriptions" })) {
      const ends = seconds(row, "end_time");
      if (text(row, "status") !== "active" || (ends !== undefined && ends <= now)) continue;
      const left = points(row, "amount_total") - points(row, "amount_used");
      book.attention(
        "subscriptions_lost",
        `user ${int(row, "user_id")}: ${left > 0n ? `${left} points left` : "without a limit"}`,
      );
    }
  if (source.columns.has("subscription_plans"))
    for await (const row of source.rows({ table: "subscription_plans" }))
      book.note("subscription_plans_lost", text(row, "title"));
  if (source.columns.has("checkins"))
    for await (const row of source.rows({ table: "checkins", orderBy: "id", descending: true, limit: 1 }))
      book.note("checkins_lost", `the last one on ${text(row, "checkin_date")}`);
}

/** "auto" tries a list of groups; here a key has two. */
function tokenGroups(context: ReadContext, group: string, id: number) {
  if (group !== "auto") return { group, backupGroup: "" };
  const value = parsed(context.options.get("AutoGroups") ?? '["default"]');
  const [first = "", second = "", ...more] = Array.isArray(value) ? value.map(String) : [];
  context.book.attention(more.length > 0 ? "token_auto_groups" : "token_auto_group", `token ${id}`);
  return { group: first, backupGroup: second };
}

const history = 1;
const dollars = "USD";

/** Its payments are options; their history needs a gateway, which is disabled. */
async function* payments({ options, source, book }: ReadContext): AsyncGenerator<PaymentRecord> {
  const made = (id: number, type: "epay" | "stripe", name: string, config: Record<string, string>) => ({
    id,
    uuid: shortNumber(`new-api-${type}-${id}`).slice(0, 36),
    type,
    name,
    icon: "",
    notifyDomain: "",
    currency: type === "stripe" ? dollars : "CNY",
    fixedFee: "0",
    percentFee: "0",
    config,
    sort: id,
    enable: id !== history,
    createdAt: undefined,
    deletedAt: undefined,
  });
  const option = (key: string) => options.get(key) ?? "";
  if (source.columns.has("top_ups")) {
    book.read("payments");
    yield made(history, "epay", "Imported", {
      pay_domain: "https://example.invalid",
      partner_id: "0",
      key: "0",
      pay_type: "",
    });
  }
  if (option("EpayId") !== "" && option("EpayKey") !== "" && option("PayAddress") !== "") {
    book.read("payments");
    noteAddresses(book, "epay");
    yield made(2, "epay", "EPay", {
      pay_domain: option("PayAddress"),
      partner_id: option("EpayId"),
      key: option("EpayKey"),
      pay_type: "",
    });
  }
  if (option("StripeApiSecret") !== "") {
    book.read("payments");
    noteAddresses(book, "Stripe");
    yield made(3, "stripe", "Stripe", {
      secret_key: option("StripeApiSecret"),
      webhook_secret: option("StripeWebhookSecret"),
    });
  }
}

function noteAddresses(book: ReadContext["book"], name: string): void {
  book.attention("payment_notices", name);
}

async function* orders({ source, options, book }: ReadContext): AsyncGenerator<OrderRecord> {
  if (!source.columns.has("top_ups")) return;
  const unit = Number(options.get("QuotaPerUnit") ?? 500_000) || 500_000;
  for await (const row of source.rows({ table: "top_ups", orderBy: "id" })) {
    book.read("orders");
    const amount = int(row, "amount");
    const money = decimal(text(row, "money"), 2) ?? "0";
    const method = text(row, "payment_provider") || text(row, "payment_method");
    const status = text(row, "status");
    yield {
      id: int(row, "id"),
      userId: int(row, "user_id"),
      gatewayId: history,
      tradeNo: shortNumber(text(row, "trade_no").trim() || `top-up-${int(row, "id")}`),
      gatewayNo: "",
      amount,
      orderAmount: money,
      orderCurrency: method === "stripe" ? dollars : "CNY",
      fee: "0",
      discount: "0",
      quota: BigInt(
        Math.max(
          0,
          Math.round(method === "creem" ? amount : (method === "stripe" ? Number(money) : amount) * unit),
        ),
      ),
      status: ["success", "failed"].includes(status) ? status : "closed",
      createdAt: seconds(row, "create_time"),
      updatedAt: seconds(row, "complete_time"),
    };
  }
}

const platforms: Record<string, string> = { suno: "suno", "36": "suno", "50": "kling" };

async function* tasks(context: ReadContext): AsyncGenerator<TaskRecord> {
  const { source, book } = context;
  if (source.columns.has("tasks"))
    for await (const row of source.rows({ table: "tasks", orderBy: "id" })) {
      book.read("tasks");
      const platform = platforms[text(row, "platform").trim()];
      const taskId = text(row, "task_id").trim();
      if (platform === undefined || taskId === "") {
        book.skip("tasks", "task_platform", text(row, "platform"));
        continue;
      }
      yield {
        taskId,
        platform,
        action: cut(text(row, "action"), 40),
        status: text(row, "status") || "NOT_START",
        userId: int(row, "user_id"),
        tokenId: 0,
        channelId: int(row, "channel_id"),
        quota: points(row, "quota"),
        progress: Number(/^\d{1,3}/.exec(text(row, "progress"))?.[0] ?? 0),
        failReason: cut(text(row, "fail_reason"), 2_000),
        submitTime: seconds(row, "submit_time"),
        startTime: seconds(row, "start_time"),
        finishTime: seconds(row, "finish_time"),
        createdAt: seconds(row, "created_at"),
        properties: record(parsed(text(row, "properties"))),
        data: record(parsed(text(row, "data"))),
        notifyHook: "",
      };
    }
  yield* midjourneyTasks(context);
}

async function* modelInfo({ source, book }: ReadContext): AsyncGenerator<ModelInfoRecord> {
  if (!source.columns.has("models")) return;
  for await (const row of source.rows({ table: "models", orderBy: "id" })) {
    const model = text(row, "model_name").trim();
    if (model === "" || deletion(row) !== undefined || int(row, "name_rule") !== 0) continue;
    book.read("model_info");
    yield {
      model: cut(model, 160),
      name: cut(model, 160),
      description: text(row, "description"),
      contextLength: 0,
      maxTokens: 0,
      inputModalities: [],
      outputModalities: [],
      tags: list(text(row, "tags")),
      supportUrl: [],
    };
  }
}
