/** What the screens of the console request. */
import type { BudgetView, OwnBudget } from "@gateway/shared/accounts/budget";
import type { Self } from "@gateway/shared/accounts/session";
import type { TokenPage } from "@gateway/shared/accounts/token";
import type { UserDetail, UserListRow } from "@gateway/shared/accounts/user";
import type { ClosedMonth, StatementLine, StatementPage } from "@gateway/shared/billing/statement";
import type { ChannelPage } from "@gateway/shared/channels/channel";
import type { ModelsHealth, StatusPage } from "@gateway/shared/models/model-health";
import type { OwnPeriod, Period, SiteStatistics } from "@gateway/shared/usage/analytics";
import type { Dashboard } from "@gateway/shared/usage/dashboard";
import type { Insights } from "@gateway/shared/usage/insights";
import type { LogTotals } from "@gateway/shared/usage/log";
import type { ChannelHours, ObjectUsage } from "@gateway/shared/usage/object-usage";
import type { Overview } from "@gateway/shared/usage/overview";
import type { AgentSession, SessionPage } from "@gateway/shared/usage/session";
import type { z } from "zod";
import { localDate, startOfDay } from "#platform/local-days.ts";
import type { TestGateway } from "#test/gateway.ts";

/** What the calls of the test went through. */
export interface ShownObjects {
  /** A model with successful calls only, and one whose calls failed. */
  models: { good: string; missing: string };
  channels: { good: number; missing: number };
  token: { id: number; name: string };
  session: string;
  /** Where days and months of limits end. */
  siteZone: string;
  /** YYYY-MM of a closed month with usage. */
  closedMonth: string;
  groupRatio: number;
}

export type Screens = Awaited<ReturnType<typeof readScreens>>;

/** Requests what each screen requests. */
export async function readScreens(gateway: TestGateway, objects: ShownObjects) {
  const { api } = gateway;
  const { channels, models, session, siteZone } = objects;
  const token = objects.token.id;
  const overview = await api<Overview>("GET", "/overview");
  const period = `start_timestamp=${overview.since}&end_timestamp=${overview.since + 24 * 3600}&time_zone=UTC`;
  const log = (filter: string) =>
    api<LogTotals>("GET", `/log/stat?start_timestamp=${overview.since}&${filter}`);
  const calls = async (filter: string) => {
    const [ok, failed] = [await log(`log_type=2&${filter}`), await log(`log_type=5&${filter}`)];
    return { requests: ok.count + failed.count, failed: failed.count, ...ok };
  };
  const rows = await gateway.logs(1);
  const user = rows[0]?.user_id ?? 0;
  const today = localDate(new Date(), siteZone);
  const ofToken = `token_name=${objects.token.name}`;
  const chargedSince = async (date: string) => {
    const from = Math.floor(startOfDay(date, siteZone).getTime() / 1_000);
    return (await api<LogTotals>("GET", `/log/stat?start_timestamp=${from}&${ofToken}`)).quota;
  };
  const tokens = await api<TokenPage>("GET", "/token?size=100");
  const users = await api<{ data: UserListRow[]; total_count: number }>("GET", "/user?size=100");
  const both = `${channels.good},${channels.missing}`;
  const closed = `date=${objects.closedMonth}`;
  return {
    objects,
    users,
    userRow: users.data.find(({ id }) => id === user),
    userDetail: await api<UserDetail>("GET", `/user/${user}`),
    self: await api<Self>("GET", "/user/self"),
    channelList: (await api<ChannelPage>("GET", "/channel?size=100")).data,
    channelHours: await api<z.infer<typeof ChannelHours>>("GET", `/channel/health?ids=${both}`),
    enabledChannels: (await api<ChannelPage>("GET", "/channel?status=1&size=1")).total_count,
    tokenRow: tokens.data.find(({ id }) => id === token),
    token: await api<ObjectUsage>("GET", `/token/${token}/usage?time_zone=UTC`),
    statement: await api<StatementLine[]>("GET", "/user/invoice/running"),
    closed: {
      months: (await api<StatementPage>("GET", "/user/invoice?size=12")).data,
      lines: await api<StatementLine[]>("GET", `/user/invoice/detail?${closed}`),
      ofSite: await api<ClosedMonth[]>("GET", "/analytics/statements"),
    },
    tokenBudget: await api<BudgetView>("GET", `/token/admin/${token}/budget`),
    ownBudget: await api<OwnBudget>("GET", "/user/self/budget"),
    logSince: { day: await chargedSince(today), month: await chargedSince(`${today.slice(0, 7)}-01`) },
    overview,
    site: await api<SiteStatistics>("GET", "/analytics/statistics"),
    analytics: await api<Period>("GET", `/analytics/period?${period}&group_type=channel`),
    models: await api<Period>("GET", `/analytics/period?${period}&group_type=model`),
    insights: await api<Insights>("GET", `/analytics/insights?${period}`),
    log: await calls(""),
    logOf: {
      good: await calls(`channel_id=${channels.good}`),
      missing: await calls(`channel_id=${channels.missing}`),
    },
    logOfModel: await calls(`model_name=${models.good}`),
    logOfToken: await calls(ofToken),
    logOfSession: await calls(`session=${session}`),
    sessionRow: (await api<SessionPage>("GET", "/log/sessions")).data.find(({ id }) => id === session),
    session: await api<AgentSession>("GET", `/log/session?id=${session}`),
    /** The call that no channel served and that was charged. */
    search: rows.find(({ endpoint }) => endpoint === "/v1/alpha/search"),
    channel: {
      good: await api<ObjectUsage>("GET", `/channel/${channels.good}/usage?time_zone=UTC`),
      missing: await api<ObjectUsage>("GET", `/channel/${channels.missing}/usage?time_zone=UTC`),
    },
    user: await api<ObjectUsage>("GET", `/user/${user}/usage?time_zone=UTC`),
    // Two days, so that the calls are included when the test runs at midnight.
    own: await api<Dashboard>("GET", "/user/dashboard?time_zone=UTC&days=2"),
    usage: await api<OwnPeriod>("GET", `/user/period?${period}&group_type=model`),
    usageOfKeys: await api<OwnPeriod>("GET", `/user/period?${period}&group_type=token`),
    health: await api<z.infer<typeof ModelsHealth>>("GET", "/model_health"),
    status: await api<z.infer<typeof StatusPage>>("GET", "/model_status"),
  };
}
