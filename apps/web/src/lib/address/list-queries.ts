import type { TokenAdminQuery, TokenQuery } from "@gateway/shared/accounts/token";
import type { UserQuery } from "@gateway/shared/accounts/user";
import type { OrderQuery } from "@gateway/shared/billing/order";
/** Parameters of the server's lists. `app/list-queries.test.ts` compares them with the schemas of the server. */
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
import { oneOf, paging, type Params, text, trimmed, whole } from "./params.ts";

const id = whole(0, 2_147_483_647);
const second = whole(0, 253_402_300_799);

export const userParams: Params<UserQuery> = {
  ...paging,
  keyword: trimmed(100),
  role: whole(0, 100),
  status: whole(0, 2),
  group: text(50),
};

export const tokenParams: Params<TokenQuery> = { ...paging, keyword: text(100), billing_tag: text(50) };

export const allTokensParams: Params<TokenAdminQuery> = {
  ...tokenParams,
  user_id: whole(),
  token_id: whole(),
};

/** Without `key`, which is no part of an address. */
export const channelParams: Params<Omit<ChannelQuery, "key">> = {
  ...paging,
  keyword: text(100),
  type: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0),
  status: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0),
  group: text(50),
  model: text(160),
  tag: text(64),
  filter_tag: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0),
  test_model: text(128),
  other: text(500),
};

export const groupParams: Params<UserGroupQuery> = {
  ...paging,
  keyword: trimmed(50),
  enable: oneOf(["", "true", "false"]),
};

export const redemptionParams: Params<RedemptionQuery> = {
  ...paging,
  keyword: trimmed(64),
  status: whole(0, 3),
};

export const gatewayParams: Params<PaymentQuery> = {
  ...paging,
  name: trimmed(100),
  uuid: trimmed(36),
  type: oneOf(["", ...paymentTypes]),
  currency: oneOf(["", ...currencies]),
};

export const orderParams: Params<OrderQuery> = {
  ...paging,
  user_id: id,
  username: trimmed(100),
  gateway_id: id,
  trade_no: trimmed(50),
  gateway_no: trimmed(100),
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
  action: trimmed(40),
  status: oneOf(["", ...taskStatuses]),
  task_id: trimmed(64),
  token_id: whole(),
  user_id: whole(),
  channel_id: whole(),
  start_timestamp: whole(),
  end_timestamp: whole(),
};

export const telegramMenuParams: Params<TelegramMenuQuery> = { ...paging, keyword: trimmed(64) };

export const inboxParams: Params<Pick<InboxQuery, "unread" | "kind">> = {
  unread: whole(0, 1),
  kind: oneOf(["", ...inboxKinds]),
};
