/** A parameter that a list accepts and the server rejects would be an error page, the reverse a link that does nothing. */
import { TokenAdminQuery, TokenQuery } from "@gateway/shared/accounts/token";
import { UserQuery } from "@gateway/shared/accounts/user";
import { OrderQuery, OwnOrderQuery } from "@gateway/shared/billing/order";
import { PaymentQuery } from "@gateway/shared/billing/payment";
import { RedemptionQuery } from "@gateway/shared/billing/redemption";
import { ChannelQuery } from "@gateway/shared/channels/channel";
import { UserGroupQuery } from "@gateway/shared/channels/group";
import { TaskQuery } from "@gateway/shared/channels/task";
import { InboxQuery } from "@gateway/shared/site/inbox";
import { TelegramMenuQuery } from "@gateway/shared/site/telegram";
import { GroupType } from "@gateway/shared/usage/analytics";
import { AuditQuery } from "@gateway/shared/usage/audit";
import { LogQuery } from "@gateway/shared/usage/log";
import { SessionQuery } from "@gateway/shared/usage/session";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { analyticsParams } from "#features/analytics/period.ts";
import { auditParams } from "#features/audit-log/api.ts";
import { logParams } from "#features/logs/filters/log-filter.ts";
import * as lists from "#lib/address/list-queries.ts";
import { initialOf, type Params } from "#lib/address/params.ts";

/** Without what the console alone has, and what it leaves out. */
const { range: _logRange, from: _from, to: _to, view: _view, ...ofLogs } = logParams;
const { range: _auditRange, ...ofAudit } = auditParams;

/** Default sizes that differ from the server's are set by the page. */
const pairs: [string, Params<Record<string, string | number>>, z.ZodObject][] = [
  ["users", lists.userParams, UserQuery],
  ["tokens", lists.tokenParams, TokenQuery],
  ["everybody's tokens", lists.allTokensParams, TokenAdminQuery],
  ["channels", lists.channelParams, ChannelQuery.omit({ key: true })],
  ["groups", lists.groupParams, UserGroupQuery],
  ["codes", lists.redemptionParams, RedemptionQuery],
  ["payment gateways", lists.gatewayParams, PaymentQuery],
  ["orders", lists.orderParams, OrderQuery],
  ["own orders", lists.ownOrderParams, OwnOrderQuery],
  ["tasks", lists.taskParams, TaskQuery.omit({ user_ids: true })],
  ["Telegram commands", lists.telegramMenuParams, TelegramMenuQuery],
  ["notifications", lists.inboxParams, InboxQuery.pick({ unread: true, kind: true })],
  ["sessions", lists.sessionParams, SessionQuery.pick({ username: true })],
  [
    "audit log",
    ofAudit,
    AuditQuery.pick({ username: true, target_type: true, target_id: true, order: true }),
  ],
  [
    "logs",
    ofLogs,
    LogQuery.omit({ cursor: true, start_timestamp: true, end_timestamp: true, page: true }).extend({
      size: LogQuery.shape.size.default(50),
    }),
  ],
  ["analytics", { by: analyticsParams.by }, z.object({ by: GroupType.default("model") })],
];

const numbers = ["0", "1", "2", "3", "6", "100", "101", "-1", "2147483647", "2147483648", "253402300800"];
const words = [
  "",
  "x",
  " x ",
  "true",
  "false",
  "CNY",
  "success",
  "suno",
  "FAILURE",
  "failed",
  "user",
  "billing",
];
const odd = ["1e3", "0x10", "1.5", "9".repeat(15), "9".repeat(16), "null", "[]"];
const long = [36, 40, 50, 64, 100, 128, 160, 200, 500].flatMap((length) => [
  "a".repeat(length),
  "a".repeat(length + 1),
]);

describe.each(pairs)("the parameters of the list of %s", (_name, params, schema) => {
  it("have the initial values of the server", () => {
    expect(initialOf(params)).toEqual(schema.parse({}));
  });

  it.each(Object.keys(schema.shape))("read %s like the server", (field) => {
    const { initial, read } = params[field] as Params<Record<string, string | number>>[string];
    for (const given of [...numbers, ...words, ...odd, ...long]) {
      const parsed = schema.safeParse({ [field]: given });
      const expected = parsed.success ? parsed.data[field] : initial;
      expect(read(given) ?? initial, `${field}=${given}`).toEqual(expected);
    }
  });
});
