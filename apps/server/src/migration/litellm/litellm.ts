import type { Product, ReadContext } from "#migration/products/product.ts";
import type { GroupRecord } from "#migration/records.ts";
import { text } from "#migration/row.ts";
import { accountsOf } from "./accounts.ts";
import { litellmChannels } from "./channels.ts";
import { litellmColumns, litellmLost } from "./columns.ts";
import { dollars, pointsOf } from "./dollars.ts";
import { litellmCharges, litellmLogs, litellmStart, litellmUsage } from "./history.ts";
import { litellmKeys } from "./keys.ts";
import { litellmPrices } from "./prices.ts";
import { litellmUsers } from "./users.ts";

/** LiteLLM's proxy, in Postgres and a `config.yaml`. It has budgets and what was spent instead of balances. */
export const litellm: Product = {
  id: "litellm",
  title: "LiteLLM",
  onlyPostgres: true,
  known: litellmColumns,
  required: {
    LiteLLM_VerificationToken: "token spend expires models user_id team_id max_budget",
    LiteLLM_UserTable: "user_id user_role max_budget spend",
    LiteLLM_TeamTable: "team_id max_budget spend",
    LiteLLM_ProxyModelTable: "model_id model_name litellm_params",
  },
  groups,
  users: litellmUsers,
  tokens: litellmKeys,
  channels: litellmChannels,
  prices: litellmPrices,
  redemptions: none,
  usage: litellmUsage,
  logs: litellmLogs,
  charges: litellmCharges,
  settings: () => ({}),
  balances,
  keyUse,
  start: litellmStart,
};

async function* groups({ book, source }: ReadContext): AsyncGenerator<GroupRecord> {
  for (const table of litellmLost)
    if (source.columns.has(table))
      for await (const row of source.rows({ table }))
        if (Object.keys(row).length > 0) book.attention(`lost_${table}`);
  book.read("groups");
  yield {
    id: 1,
    symbol: "default",
    name: "Default",
    ratio: "1",
    public: true,
    enable: true,
    apiRate: 10_000_000,
    promotion: false,
    min: 0,
    max: 0,
  };
}

async function* none(): AsyncGenerator<never> {}

async function* balances(context: ReadContext) {
  for (const { id, balance, used } of (await accountsOf(context)).all)
    yield { id, balance, used, isDeleted: false };
}

async function* keyUse({ source }: ReadContext): AsyncGenerator<bigint> {
  for await (const row of source.rows({ table: "LiteLLM_VerificationToken" }))
    if (/^[\da-f]{64}$/.test(text(row, "token").trim()))
      yield pointsOf(Math.max(0, dollars(row, "spend") ?? 0, dollars(row, "total_spend") ?? 0));
}
