/** More rows than fit into any window, on each list of the console whose page has as many rows as fit. */
import { connect } from "../../../server/src/platform/database/db.ts";
import type { Site } from "./test.ts";

/** Lists, by the address of their screen. */
export const longLists = [
  "channel",
  "user",
  "token",
  "token?view=all",
  "user_group",
  "pricing",
  "model_info",
  "telegram",
  "redemption",
  "payment",
  "payment?tab=gateways",
  "task",
  "analytics?tab=statements",
].map((path) => `/panel/${path}`);

const rowCount = 30;

export async function fillLists(site: Site): Promise<void> {
  const numbers = Array.from({ length: rowCount }, (_, place) => place + 1);
  const models = numbers.map((number) => `model-${number}`);
  await site.api("PUT", "/option/batch", { values: { ServerAddress: site.url } });
  for (const number of numbers) {
    await site.api("POST", "/channel", {
      type: 900,
      name: `Line ${number}`,
      tag: `tag-${number}`,
      models,
      groups: ["default"],
    });
    await site.api("POST", "/token", {
      name: `Key ${number}`,
      unlimited_quota: false,
      remain_quota: 500_000,
    });
    await site.api("POST", "/user_group", {
      symbol: `group-${number}`,
      name: `Group ${number}`,
      ratio: 1 + number / 10,
      api_rate: 60,
      min: 0,
      max: 0,
    });
    await site.api("POST", "/prices/single", {
      model: `model-${number}`,
      type: "tokens",
      channel_type: 1,
      input: number,
      output: 2 * number,
      extra_ratios: { cached_tokens: 0.1 },
    });
    await site.api("POST", "/model_info", {
      model: `model-${number}`,
      name: `Model ${number}`,
      description: "Writes, reads pictures and calls tools.",
      tags: ["chat", "vision"],
      context_length: 128_000,
    });
    await site.api("POST", "/option/telegram", {
      command: `rule_${number}`,
      description: "The rules",
      parse_mode: "HTML",
      reply_message: "Be kind.",
    });
    await site.api("POST", "/payment", {
      type: "epay",
      name: `Pay ${number}`,
      icon: "card",
      currency: "CNY",
      config: { pay_domain: "https://pay.example.com", partner_id: "1", key: "secret" },
    });
  }
  await site.api("POST", "/redemption", { name: "gift", quota: 500_000, count: rowCount });
  const database = connect(site.databaseUrl, { max: 1 });
  const { db, pool } = database;
  const one = await db.paymentGateway.findFirstOrThrow();
  await pool.query(
    `INSERT INTO users (username, display_name, email, aff_code, quota)
     SELECT 'user-' || n, 'User ' || n, 'user-' || n || '@example.com', 'code-' || n, 500000 FROM generate_series(1, $1::int) n`,
    [rowCount],
  );
  await pool.query(
    `INSERT INTO orders (trade_no, user_id, gateway_id, amount, order_amount, order_currency, quota)
     SELECT 'trade-' || n, 1, $2, 10, 73, 'CNY', 5000000 FROM generate_series(1, $1::int) n`,
    [rowCount, one.id],
  );
  await pool.query(
    `INSERT INTO tasks (task_id, platform, action, status, user_id, channel_id, model, submit_time)
     SELECT 'task-' || n, 'suno', 'MUSIC', 'SUCCESS', 1, 1, 'suno', now() FROM generate_series(1, $1::int) n`,
    [rowCount],
  );
  await pool.query(
    `INSERT INTO statements (month, user_id, model, request_count, quota)
     SELECT date_trunc('month', now()) - interval '1 month', u.id, 'model-1', 5, 500000 FROM users u`,
  );
  await pool.query(
    `INSERT INTO statement_months (month, users, quota)
     SELECT date_trunc('month', now()) - interval '1 month', count(*), count(*) * 500000 FROM users`,
  );
  await database.close();
}
