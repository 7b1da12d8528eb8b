import type { Row } from "#test/management-api/audit.ts";
import { type Difference, makeChannel } from "./difference.ts";

export const usageDifferences: readonly Difference[] = [
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
