/**
 * Items that need an operator's attention, most urgent first. Lists are short; other screens show all items.
 */
import { ChannelStatus } from "@gateway/shared/channels/channel";
import { storedFacts } from "@gateway/shared/reasons";
import { isFailing, recentAttempts } from "@gateway/shared/usage/channel-health";
import type { AttentionItem, ChannelsHealth, Failures } from "@gateway/shared/usage/overview";
import { loadTable } from "#domain/pricing/prices.ts";
import { findPrice } from "#domain/pricing/pricing.ts";
import { unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";

const MOST_OF_A_KIND = 5;
/** A provider balance is low when it lasts fewer days than this at the rate of the last 24 hours. */
const LOW_BALANCE_DAYS = 3;
const MOST_MODELS_SHOWN = 5;

/** Returns enabled channels that are failing now, most failures first. */
export function failingChannels({ rows }: ChannelsHealth): AttentionItem[] {
  return rows
    .filter((row) => row.status === ChannelStatus.enabled && isFailing(row))
    .map((row) => {
      const { attempts, failed } = recentAttempts(row);
      return { kind: "channel-failing" as const, id: row.id, name: row.name, failed, requests: attempts };
    })
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MOST_OF_A_KIND);
}

/** Returns channels that the gateway disabled automatically, latest first. */
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
    time: time && unixTime(time),
  }));
}

interface Spending {
  /** Provider cost of a channel within 24 hours, in US dollars. */
  costOf(channelId: number): number;
  yuanPerUsd: number;
}

/** Returns enabled channels whose account at the provider is nearly empty. */
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

/** Returns models of enabled channels without a price. Calls to them are refused. */
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

/** Returns problems with payments, jobs and price updates within 24 hours, once per subject. */
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
      time: unixTime(time),
      count: Number(count),
    }))
    .sort((a, b) => b.time - a.time)
    .slice(0, MOST_OF_A_KIND);
}

/** Returns the last audit of all balances if it found a drift. */
export async function auditDrift(pool: Pool): Promise<AttentionItem[]> {
  const { rows } = await pool.query<{ time: Date; drift: bigint }>(
    "SELECT created_time AS time, drift FROM audit_runs ORDER BY id DESC LIMIT 1",
  );
  const [last] = rows;
  if (last === undefined || last.drift === 0n) return [];
  return [{ kind: "audit-drift", drift: Number(last.drift), time: unixTime(last.time) }];
}

/** Returns the calls that were refused because of an insufficient balance, and their number of users. */
export function emptyBalances({ reasons }: Failures): AttentionItem[] {
  const refused = reasons.find(({ code }) => code === "insufficient_quota");
  return refused === undefined ? [] : [{ kind: "balance-empty", calls: refused.count, users: refused.users }];
}
