/** The models that a user's groups reach, and their health. */
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import type { ModelState, ModelStatus } from "@gateway/shared/models/model-health";
import { usableGroups } from "#domain/accounts/groups/groups.ts";
import { describeModels } from "#domain/catalog/model-description.ts";
import { loadTable } from "#domain/pricing/prices.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { DaysByModel, HealthByModel } from "./model-health.ts";
import { shareOf, sumOfTallies, type CallCounts } from "./unavailable.ts";

interface Reachable {
  /** Exact names, with whether an enabled channel serves them. */
  names: Map<string, boolean>;
  /** Prefixes of wildcards, with whether an enabled channel serves them. */
  prefixes: Map<string, boolean>;
}

/**
 * Returns models of enabled channels and of automatically disabled ones: a model that is down stays visible.
 */
export async function reachableModels(
  { db, pool }: { db: PrismaClient; pool: Pool },
  ownGroup?: string,
): Promise<Reachable> {
  const usable = (await usableGroups(db, ownGroup)).map((group) => group.symbol);
  const { rows } = await pool.query<{ model: string; enabled: boolean }>(
    `SELECT m.model, bool_or(c.status = ${ChannelStatus.enabled}) AS enabled
       FROM channels c
       JOIN channel_models m ON m.channel_id = c.id
      WHERE c.deleted_at IS NULL AND c.status IN (${ChannelStatus.enabled}, ${ChannelStatus.autoDisabled})
        AND EXISTS (SELECT FROM channel_groups g WHERE g.channel_id = c.id AND g."group" = ANY($1))
      GROUP BY 1`,
    [usable],
  );
  const [names, prefixes] = [new Map<string, boolean>(), new Map<string, boolean>()];
  for (const { model, enabled } of rows) {
    if (model.endsWith("*")) prefixes.set(model.slice(0, -1), enabled);
    else names.set(model, enabled);
  }
  return { names, prefixes };
}

/** Returns whether an enabled channel serves the model; undefined if none of the user's groups reaches it. */
export function servedOf({ names, prefixes }: Reachable, model: string): boolean | undefined {
  const found = [
    names.get(model),
    ...[...prefixes].map(([prefix, enabled]) => (model.startsWith(prefix) ? enabled : undefined)),
  ].filter((enabled) => enabled !== undefined);
  return found.length === 0 ? undefined : found.includes(true);
}

/**
 * Returns whether a model is listed. Clients can invent names that match a wildcard, so such a name is listed
 * only after a provider has served it.
 */
export function isListed({ names }: Reachable, model: string, tallies: readonly CallCounts[]): boolean {
  return names.has(model) || tallies.some(({ served }) => served > 0);
}

/** Returns the current state of a model, based on this hour and the last one. */
function stateOf(hours: HealthByModel, model: string, served: boolean): ModelState {
  if (!served) return "outage";
  const lately = shareOf(sumOfTallies(hours.models.get(model)?.tallies.slice(-2) ?? []));
  if (lately === null) return "no_data";
  if (lately < 0.5) return "outage";
  return lately < 0.95 ? "degraded" : "operational";
}

const severity: Record<ModelState, number> = { outage: 0, degraded: 1, operational: 2, no_data: 3 };

/**
 * Returns the status of every model of the public groups. Models that match a wildcard are included once they
 * were called.
 */
export async function statusOfModels(
  handles: { db: PrismaClient; pool: Pool },
  hours: HealthByModel,
  days: DaysByModel,
): Promise<ModelStatus[]> {
  const reachable = await reachableModels(handles);
  const known = new Set([...reachable.names.keys(), ...days.models.keys(), ...hours.models.keys()]);
  const table = await loadTable(handles.db);
  const described = await describeModels(handles.db, table, [...known]);
  const noHours = (): null[] => Array.from({ length: 24 }, () => null);
  const models = [...known].flatMap((model) => {
    const served = servedOf(reachable, model);
    const health = hours.models.get(model);
    const daily = days.models.get(model);
    const tallies = [...(health?.tallies ?? []), ...(daily ?? [])];
    if (served === undefined || !isListed(reachable, model, tallies)) return [];
    return {
      model,
      owner: described.get(model)?.owner ?? "",
      state: stateOf(hours, model, served),
      availability: health?.availability ?? null,
      hourly: health?.hourly ?? noHours(),
      availability_90d: shareOf(sumOfTallies(daily ?? [])),
      daily: daily?.map(shareOf) ?? Array.from({ length: 90 }, () => null),
    };
  });
  return models.sort(
    (a, b) => severity[a.state] - severity[b.state] || (a.model < b.model ? -1 : a.model > b.model ? 1 : 0),
  );
}
