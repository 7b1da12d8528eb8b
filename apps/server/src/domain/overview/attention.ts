import { ChannelStatus } from "@gateway/shared/channels/channel";
import { storedFacts } from "@gateway/shared/reasons";
import type { AttentionItem, ChannelsHealth, Failures } from "@gateway/shared/usage/overview";
import { loadTable } from "#domain/pricing/prices.ts";
import { findPrice } from "#domain/pricing/pricing.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";

/** What an operator should look at now, the most urgent first. Every list is short: the screens behind it are not. */

const MOST_OF_A_KIND = 5;
/** A channel is failing when so many attempts failed in this and the last hour, and so large a share. */
const FAILING_CALLS = 5;
const FAILING_SHARE = 0.2;
/** A provider's balance is low when it does not last as long at the rate of the last 24 hours. */
const LOW_BALANCE_DAYS = 3;
const MOST_MODELS_SHOWN = 5;

/** Enabled channels that fail now, those with the most failures first. */
export function failingChannels({ rows }: ChannelsHealth): AttentionItem[] {
  return rows
    .filter((row) => row.status === ChannelStatus.enabled)
    .map(({ id, name, requests, failed, rescued }) => {
      const lately = (hours: readonly number[]) => hours.slice(-2).reduce((sum, count) => sum + count, 0);
      return {
        kind: "channel-failing" as const,
        id,
        name,
        failed: lately(failed) + lately(rescued),
        requests: lately(requests) + lately(rescued),
      };
    })
    .filter(({ failed, requests }) => failed >= FAILING_CALLS && failed >= requests * FAILING_SHARE)
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MOST_OF_A_KIND);
}

/** Channels that the gateway disabled, the latest first. */
export async function disabledChannels(pool: Pool): Promise<AttentionItem[]> {
  const { rows } = await pool.query<{
    id: number;
    name: string;
    reason: string;
    facts: unknown;
    time: Date | null;
  }>(
    `SELECT id, name, status_reason AS reason, status_facts AS facts, status_time AS time FROM channels
      WHERE deleted_at IS NULL AND status = ${ChannelStatus.autoDisabled}
      ORDER BY status_time DESC NULLS LAST, id LIMIT ${MOST_OF_A_KIND}`,
  );
  return rows.map(({ time, facts, ...row }) => ({
    kind: "channel-disabled",
    ...row,
    reason_facts: storedFacts(facts),
    time: time && seconds(time),
  }));
}

interface Spending {
  /** US dollars of provider cost by channel, within 24 hours. */
  costOf(channelId: number): number;
  yuanPerUsd: number;
}

/** Enabled channels whose account at the provider is nearly empty. */
export async function lowBalances(pool: Pool, { costOf, yuanPerUsd }: Spending): Promise<AttentionItem[]> {
  const { rows } = await pool.query<{ id: number; name: string; balance: number; currency: string }>(
    `SELECT id, name, balance::float8 AS balance, balance_currency AS currency FROM channels
      WHERE deleted_at IS NULL AND status = ${ChannelStatus.enabled} AND balance_updated_time IS NOT NULL`,
  );
  return rows
    .map((row) => {
      const perDay = costOf(row.id) * (row.currency === "CNY" ? yuanPerUsd : 1);
      const days_left = perDay > 0 ? Math.max(0, row.balance) / perDay : null;
      return { kind: "channel-balance" as const, ...row, days_left };
    })
    .filter((row) => row.balance <= 0 || (row.days_left ?? Infinity) < LOW_BALANCE_DAYS)
    .sort((a, b) => (a.days_left ?? 0) - (b.days_left ?? 0))
    .slice(0, MOST_OF_A_KIND);
}

/** Models of enabled channels that have no price, so that calls to them are refused. */
export async function unpricedModels(pool: Pool, db: PrismaClient): Promise<AttentionItem[]> {
  const [table, { rows }] = await Promise.all([
    loadTable(db),
    pool.query<{ model: string }>(
      `SELECT DISTINCT m.model FROM channel_models m JOIN channels c ON c.id = m.channel_id
        WHERE c.deleted_at IS NULL AND c.status = ${ChannelStatus.enabled} AND m.model NOT LIKE '%*'
        ORDER BY 1`,
    ),
  ]);
  const models = rows.map((row) => row.model).filter((model) => findPrice(table, model) === undefined);
  if (models.length === 0) return [];
  return [{ kind: "unpriced", count: models.length, models: models.slice(0, MOST_MODELS_SHOWN) }];
}

type NoticeItem = Extract<AttentionItem, { kind: "notice" }>;

/** Problems with payments, jobs and price updates within 24 hours, once per subject. */
export async function recentNotices(pool: Pool): Promise<AttentionItem[]> {
  const { rows } = await pool.query<{
    event: NoticeItem["event"];
    facts: Record<string, unknown>;
    reason_facts: unknown;
    time: Date;
    count: bigint;
  }>(
    `SELECT DISTINCT ON (event, topic) event, facts, reason_facts, created_time AS time,
            sum(repeats + 1) OVER (PARTITION BY event, topic)::bigint AS count
       FROM notices
      WHERE event IN ('payment-trouble', 'job-failed', 'prices-failed') AND created_time > now() - interval '24 hours'
      ORDER BY event, topic, id DESC LIMIT 50`,
  );
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return rows
    .map(({ event, facts, reason_facts, time, count }) => ({
      kind: "notice" as const,
      event,
      name: text(facts["name"]) || text(facts["job"]),
      reason: text(facts["reason"]),
      reason_facts: storedFacts(reason_facts),
      time: seconds(time),
      count: Number(count),
    }))
    .sort((a, b) => b.time - a.time)
    .slice(0, MOST_OF_A_KIND);
}

/** The last audit of all balances, when it found a difference. */
export async function auditDrift(pool: Pool): Promise<AttentionItem[]> {
  const { rows } = await pool.query<{ time: Date; drift: bigint }>(
    "SELECT created_time AS time, drift FROM audit_runs ORDER BY id DESC LIMIT 1",
  );
  const [last] = rows;
  if (last === undefined || last.drift === 0n) return [];
  return [{ kind: "audit-drift", drift: Number(last.drift), time: seconds(last.time) }];
}

/** Customers whose calls were refused for want of a balance. */
export function emptyBalances({ reasons }: Failures): AttentionItem[] {
  const refused = reasons.find(({ code }) => code === "insufficient_quota");
  return refused === undefined ? [] : [{ kind: "balance-empty", calls: refused.count, users: refused.users }];
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
