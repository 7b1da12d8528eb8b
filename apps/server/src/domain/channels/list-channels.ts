/** Search of the channels: one page of the list, or the ids of all that match. */
import { collectChannelCharges } from "#domain/ledger/bookings/collect-channel-charges.ts";
import type { Db } from "#platform/database/db.ts";
import { containsText } from "#platform/database/text-search.ts";
import type { Prisma } from "#platform/prisma/client.ts";
import { channelParts, type ChannelWithParts } from "./channel-row.ts";
import type { ChannelDeps } from "./channels.ts";
import { modelNamesWith } from "./model-names.ts";

interface ChannelFilter {
  /** Part of the name or tag, or the id. */
  keyword: string;
  /** 0 means any. */
  type: number;
  /** 0 means any. */
  status: number;
  /** "" means any; the same holds for the fields below. */
  group: string;
  /** Part of a model name. */
  model: string;
  tag: string;
  /** 1: channels without a tag; 2: channels with a tag; 3: the newest channel of each tag; otherwise all. */
  filter_tag: number;
  /** Prefixes. */
  test_model: string;
  other: string;
  /** A complete key. */
  key: string;
}

export interface ChannelSearch extends ChannelFilter {
  skip: number;
  take: number;
  orderBy: Prisma.ChannelOrderByWithRelationInput[];
}

export async function listChannels(
  { db, secrets }: Pick<ChannelDeps, "db" | "secrets">,
  search: ChannelSearch,
): Promise<{ rows: ChannelWithParts[]; total: number }> {
  await collectChannelCharges(db);
  const where = await channelsFitting({ db, secrets }, search);
  const { skip, take, orderBy } = search;
  const [rows, total] = await Promise.all([
    db.channel.findMany({ where, skip, take, orderBy, include: channelParts }),
    db.channel.count({ where }),
  ]);
  return { rows, total };
}

/** Maximum number of channels in one selection. */
const MOST_CHANNELS = 20_000;

/** Returns the ids of all matching channels, for changes that are previewed and applied in portions. */
export async function channelIds(
  deps: Pick<ChannelDeps, "db" | "secrets">,
  filter: ChannelFilter,
): Promise<number[]> {
  const where = await channelsFitting(deps, filter);
  const rows = await deps.db.channel.findMany({
    where,
    select: { id: true },
    orderBy: { id: "asc" },
    take: MOST_CHANNELS,
  });
  return rows.map(({ id }) => id);
}

async function channelsFitting(
  { db, secrets }: Pick<ChannelDeps, "db" | "secrets">,
  search: ChannelFilter,
): Promise<Prisma.ChannelWhereInput> {
  const where: Prisma.ChannelWhereInput = { deleted_at: null };
  if (search.keyword !== "") {
    where.OR = [{ name: containsText(search.keyword) }, { tag: containsText(search.keyword) }];
    const id = Number(search.keyword);
    if (Number.isInteger(id) && id > 0 && id < 2 ** 31) where.OR.push({ id });
  }
  if (search.type !== 0) where.type = fits(search.type) ? search.type : -1;
  if (search.status !== 0) where.status = search.status >= 1 && search.status <= 3 ? search.status : -1;
  if (search.group !== "") where.groups = { some: { group: search.group } };
  if (search.model !== "") {
    const names = await modelNamesWith(db, search.model);
    const model = names === undefined ? containsText(search.model) : { in: names };
    where.models = { some: { model } };
  }
  if (search.tag !== "") where.tag = search.tag;
  else if (search.filter_tag === 1) where.tag = "";
  else if (search.filter_tag === 2) where.tag = { not: "" };
  if (search.filter_tag === 3) where.id = { in: await newestOfTags(db) };
  if (search.test_model !== "") where.test_model = { startsWith: search.test_model };
  if (search.other !== "") where.other = { startsWith: search.other };
  if (search.key.trim() !== "") where.keys = { some: { key_hash: secrets.hash(search.key.trim()) } };
  return where;
}

async function newestOfTags(db: Db): Promise<number[]> {
  const tags = await db.channel.groupBy({
    by: ["tag"],
    where: { deleted_at: null, tag: { not: "" } },
    _max: { id: true },
  });
  return tags.flatMap(({ _max }) => _max.id ?? []);
}

function fits(value: number): boolean {
  return Math.abs(value) < 2 ** 31;
}
