/** Parameters of the server's lists. `app/list-queries.test.ts` compares them with the schemas of the server. */
import type { TokenAdminQuery, TokenQuery } from "@gateway/shared/accounts/token";
import type { UserQuery } from "@gateway/shared/accounts/user";
import type { OrderQuery } from "@gateway/shared/billing/order";
import { orderStatuses } from "@gateway/shared/billing/order-status";
import type { PaymentQuery } from "@gateway/shared/billing/payment";
import { currencies, paymentTypes } from "@gateway/shared/billing/payment-types";
import type { RedemptionQuery } from "@gateway/shared/billing/redemption";
import type { ChannelQuery } from "@gateway/shared/channels/channel";
import type { UserGroupQuery } from "@gateway/shared/channels/group";
import type { TaskQuery } from "@gateway/shared/channels/task";
import { taskPlatforms, taskStatuses } from "@gateway/shared/channels/task-status";
import type { PageQuery } from "@gateway/shared/paging";
import type { InboxQuery } from "@gateway/shared/site/inbox";
import { inboxKinds } from "@gateway/shared/site/inbox-kinds";
import type { TelegramMenuQuery } from "@gateway/shared/site/telegram";
import type { SessionQuery } from "@gateway/shared/usage/session";
import { oneOf, paging, type Params, textParam, trimmedParam, whole } from "./params.ts";

const id = whole(0, 2_147_483_647);
const second = whole(0, 253_402_300_799);

export const userParams: Params<UserQuery> = {
  ...paging,
  keyword: trimmedParam(100),
  role: whole(0, 100),
  status: whole(0, 2),
  group: textParam(50),
};

export const tokenParams: Params<TokenQuery> = {
  ...paging,
  keyword: textParam(100),
  billing_tag: textParam(50),
};

export const allTokensParams: Params<TokenAdminQuery> = {
  ...tokenParams,
  ...paging,
  user_id: whole(),
  token_id: whole(),
};

/** Without `key`, which is no part of an address. */
export const channelParams: Params<Omit<ChannelQuery, "key">> = {
  ...paging,
  keyword: textParam(100),
  type: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0),
  status: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0),
  group: textParam(50),
  model: textParam(160),
  tag: textParam(64),
  filter_tag: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0),
  test_model: textParam(128),
  other: textParam(500),
};

export const groupParams: Params<UserGroupQuery> = {
  ...paging,
  keyword: trimmedParam(50),
  enable: oneOf(["", "true", "false"]),
};

export const redemptionParams: Params<RedemptionQuery> = {
  ...paging,
  keyword: trimmedParam(64),
  status: whole(0, 3),
};

export const gatewayParams: Params<PaymentQuery> = {
  ...paging,
  name: trimmedParam(100),
  uuid: trimmedParam(36),
  type: oneOf(["", ...paymentTypes]),
  currency: oneOf(["", ...currencies]),
};

export const orderParams: Params<OrderQuery> = {
  ...paging,
  user_id: id,
  username: trimmedParam(100),
  gateway_id: id,
  trade_no: trimmedParam(50),
  gateway_no: trimmedParam(100),
  status: oneOf(["", ...orderStatuses]),
  start_timestamp: second,
  end_timestamp: second,
};

export const ownOrderParams: Params<PageQuery> = paging;

/** Without `user_ids`, which is for other clients. */
export type TaskFilter = Omit<TaskQuery, "user_ids">;

export const taskParams: Params<TaskFilter> = {
  ...paging,
  platform: oneOf(taskPlatforms),
  action: trimmedParam(40),
  status: oneOf(["", ...taskStatuses]),
  task_id: trimmedParam(64),
  token_id: whole(),
  user_id: whole(),
  channel_id: whole(),
  start_timestamp: whole(),
  end_timestamp: whole(),
};

export const telegramMenuParams: Params<TelegramMenuQuery> = {
  ...paging,
  keyword: trimmedParam(64),
};

export const inboxParams: Params<Pick<InboxQuery, "unread" | "kind">> = {
  unread: whole(0, 1),
  kind: oneOf(["", ...inboxKinds]),
};

/** The list continues at a cursor, which is no part of an address. */
export const sessionParams: Params<Pick<SessionQuery, "username">> = { username: textParam(64) };
