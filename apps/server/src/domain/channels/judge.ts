import { type ChannelTestResult, cannotProbe } from "@gateway/shared/channels/channel";
import type { ChannelBalance, ChannelRunKind } from "@gateway/shared/channels/channel-run";
import { reasonOf } from "@gateway/shared/reasons";
import type { SettingsStore } from "#domain/settings/settings.ts";
import { currentTime } from "#platform/clock.ts";
import { type ChannelForTest, type ChannelRecord, typedInFull } from "./channel-row.ts";
import { disableChannel, reviveChannel } from "./channel-state.ts";
import { type ChannelRoom, firstKey, getChannel, openFirstKey, testModelFor } from "./channels.ts";
import type { Health } from "./health.ts";
import type { Done, Work } from "./runner.ts";
import { noteTest } from "./test-history.ts";

/**
 * Tests and balances of stored channels and what follows from them: off on a second look, on again after a good test.
 * How the vendor is asked is handed in.
 */
export interface JudgeRoom extends ChannelRoom {
  settings: SettingsStore;
  health: Pick<Health, "forgive">;
  testChannel(input: { channel: ChannelForTest; model: string }): Promise<ChannelTestResult>;
  /** undefined when this vendor does not tell. */
  fetchBalance(channel: ChannelForTest): Promise<FetchedBalance | undefined>;
}

export interface FetchedBalance {
  amount: number;
  currency: string;
  /** Computed from figures that need not belong together: no reason to disable a channel. */
  estimated?: true;
}

/** What each kind of run does to a channel. */
export function runTasks(room: JudgeRoom): Record<ChannelRunKind, Work> {
  return {
    test: (id, model) => judgeChannel(room, id, model),
    balance: (id) => judgeBalance(room, id),
  };
}

/** @param model "" = what the channel is usually tested with */
export async function testStored(room: JudgeRoom, id: number, model: string): Promise<ChannelTestResult> {
  const row = await getChannel(room.db, id);
  const channel = opened(room, row);
  const asked = model || testModelFor(room, channel);
  const result = await room.testChannel({ channel, model: asked });
  await noteTest(room.db, id, result);
  if (!result.ok) return result;
  room.health.forgive(id);
  const key = firstKey(row);
  const isOff = row.status === 3 || key?.status === 3;
  if (isOff && room.settings.current().AutomaticEnableChannelEnabled)
    await reviveChannel(room.db, id, key?.id, reasonOf("testSucceeded", { model: asked }));
  return result;
}

/** One item of a run: a test whose bad outcome counts, once a second one has confirmed it. */
async function judgeChannel(room: JudgeRoom, id: number, model: string): Promise<Done> {
  const result = await testStored(room, id, model);
  const { message, duration, model: asked } = result;
  if (result.fault === cannotProbe) return { outcome: "skipped", model: asked, duration: 0, message };
  const outcome = result.ok ? "ok" : "failed";
  const reason = await reasonToDisable(room, id, result);
  if (reason === undefined) return { outcome, model: asked, duration, message };
  await disableChannel(room.db, id, reason);
  return { outcome: "failed", model: asked, duration, message: reasonOf("disabled", { reason }) };
}

async function reasonToDisable(
  room: JudgeRoom,
  id: number,
  first: ChannelTestResult,
): Promise<string | undefined> {
  const { AutomaticDisableChannelEnabled, ChannelDisableThreshold } = room.settings.current();
  if (!AutomaticDisableChannelEnabled) return undefined;
  const row = await getChannel(room.db, id);
  if (row.status !== 1 || !row.auto_disable) return undefined;
  const isSlow = ({ ok, duration }: ChannelTestResult) =>
    ok && ChannelDisableThreshold > 0 && duration > ChannelDisableThreshold * 1_000;
  // A key among several is switched off by itself, on calls; a test with the first one says nothing of the others.
  const isRefused = ({ fault }: ChannelTestResult) =>
    row.keys.length <= 1 && (fault === "auth" || fault === "quota");
  if (!isSlow(first) && !isRefused(first)) return undefined;
  const second = await room.testChannel({ channel: opened(room, row), model: first.model });
  await noteTest(room.db, id, second);
  if (isSlow(first) && isSlow(second))
    return reasonOf("testsSlow", {
      model: first.model,
      limit: ChannelDisableThreshold,
      first: first.duration,
      second: second.duration,
    });
  if (isRefused(first) && isRefused(second))
    return reasonOf("testsFailed", { model: first.model, message: second.message });
  return undefined;
}

/** undefined when this vendor does not tell. Throws a GatewayError when it should and did not. */
export async function refreshBalance(
  room: JudgeRoom,
  id: number,
): Promise<(ChannelBalance & { estimated: boolean }) | undefined> {
  const row = await getChannel(room.db, id);
  const left = await room.fetchBalance(opened(room, row));
  if (left === undefined) return undefined;
  await room.db.channel.update({
    where: { id },
    data: {
      // The column holds six digits after the point, and no vendor owes us a trillion.
      balance: Math.max(-1e12, Math.min(1e12, left.amount)).toFixed(6),
      balance_currency: left.currency,
      balance_updated_time: currentTime(),
    },
  });
  return { balance: left.amount, currency: left.currency, estimated: left.estimated === true };
}

/** One item of a run. An account that is empty, by the vendor's own word, serves nobody. */
async function judgeBalance(room: JudgeRoom, id: number): Promise<Done> {
  const begun = performance.now();
  const left = await refreshBalance(room, id);
  const duration = Math.round(performance.now() - begun);
  if (left === undefined)
    return { outcome: "skipped", model: "", duration: 0, message: "This vendor does not tell the balance." };
  const { AutomaticDisableChannelEnabled } = room.settings.current();
  const row = await getChannel(room.db, id);
  const isEmpty = !left.estimated && left.balance <= 0 && row.keys.length <= 1;
  const text = `${left.currency} ${left.balance.toFixed(2)}`;
  if (isEmpty && AutomaticDisableChannelEnabled && row.status === 1 && row.auto_disable) {
    const reason = reasonOf("accountEmpty", { balance: text });
    await disableChannel(room.db, id, reason);
    return { outcome: "failed", model: "", duration, message: reasonOf("disabled", { reason }) };
  }
  return { outcome: "ok", model: "", duration, message: text };
}

function opened({ secrets }: ChannelRoom, row: ChannelRecord): ChannelForTest {
  return { ...typedInFull(secrets, row), id: row.id, key: openFirstKey(secrets, row) };
}
