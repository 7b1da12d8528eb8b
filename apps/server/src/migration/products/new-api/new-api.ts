import { lookupTable } from "@gateway/shared/lookup-table";
import { shortNumber } from "#migration/family/go-options.ts";
import { midjourneyTasks } from "#migration/family/midjourney.ts";
import { readRedemptions } from "#migration/family/redemptions.ts";
import { taskOf } from "#migration/family/tasks.ts";
import { readPasskeys, readSecondFactors, readUsers } from "#migration/family/users.ts";
import type { Product, ReadContext } from "#migration/products/product.ts";
import type {
  ModelInfoRecord,
  OrderRecord,
  PaymentRecord,
  TaskRecord,
  UserRecord,
} from "#migration/records.ts";
import {
  truncateText,
  decimal,
  deletion,
  int,
  list,
  parseJson,
  record,
  seconds,
  text,
} from "#migration/row.ts";
import { newApiChannels } from "./channels.ts";
import { newApiColumns } from "./columns.ts";
import { newApiGroups } from "./groups.ts";
import { newApiCharges, newApiLogs, newApiUsage } from "./history.ts";
import { newApiPrices } from "./prices.ts";
import { newApiSettings } from "./settings.ts";
import { newApiTokens } from "./tokens.ts";

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
  groups: newApiGroups,
  users,
  passkeys: (context) => readPasskeys(context, "passkey_credentials"),
  secondFactors: readSecondFactors,
  tokens: newApiTokens,
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

async function* users(context: ReadContext): AsyncGenerator<UserRecord> {
  for await (const user of readUsers(context)) {
    // Its users move these points to their balance.
    if (user.affQuota > 0n && user.deletedAt === undefined)
      context.book.attention("invitation_points", `user ${user.id}: ${user.affQuota}`);
    yield user;
  }
}

const history = 1;
const dollars = "USD";

/** Its payments are options; their history needs a gateway, which is disabled. */
async function* payments({ options, source, book }: ReadContext): AsyncGenerator<PaymentRecord> {
  const gatewayRecord = (
    id: number,
    type: "epay" | "stripe",
    name: string,
    config: Record<string, string>,
  ) => ({
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
    yield gatewayRecord(history, "epay", "Imported", {
      pay_domain: "https://example.invalid",
      partner_id: "0",
      key: "0",
      pay_type: "",
    });
  }
  if (option("EpayId") !== "" && option("EpayKey") !== "" && option("PayAddress") !== "") {
    book.read("payments");
    noteAddresses(book, "epay");
    yield gatewayRecord(2, "epay", "EPay", {
      pay_domain: option("PayAddress"),
      partner_id: option("EpayId"),
      key: option("EpayKey"),
      pay_type: "",
    });
  }
  if (option("StripeApiSecret") !== "") {
    book.read("payments");
    noteAddresses(book, "Stripe");
    yield gatewayRecord(3, "stripe", "Stripe", {
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
  // Users then enter an amount of points.
  const ofAmount = options.get("general_setting.quota_display_type") === "TOKENS" ? 1 : unit;
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
          Math.round(
            method === "creem" ? amount : method === "stripe" ? Number(money) * unit : amount * ofAmount,
          ),
        ),
      ),
      status: ["success", "failed"].includes(status) ? status : "closed",
      createdAt: seconds(row, "create_time"),
      updatedAt: seconds(row, "complete_time"),
    };
  }
}

const platforms = lookupTable<string>({ suno: "suno", "36": "suno", "50": "kling" });

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
      yield taskOf(row, {
        taskId,
        platform,
        properties: record(parseJson(text(row, "properties"))),
        data: record(parseJson(text(row, "data"))),
        createdAt: "created_at",
        time: seconds,
      });
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
      model: truncateText(model, 160),
      name: truncateText(model, 160),
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
