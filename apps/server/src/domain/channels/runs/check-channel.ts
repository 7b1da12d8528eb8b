import { type ChannelTestResult, cannotProbe } from "@gateway/shared/channels/channel";
import type { ChannelBalance, ChannelRunKind } from "@gateway/shared/channels/channel-run";
import { plainReason, type Reason, reasonBecause, reasonOf } from "@gateway/shared/reasons";
import {
  type ChannelForTest,
  type ChannelWithParts,
  toFullChannelInput,
} from "#domain/channels/channel-row.ts";
import { type ChannelDeps, getChannel } from "#domain/channels/channels.ts";
import { disableChannel, reviveChannel } from "#domain/channels/health/channel-state.ts";
import type { Health } from "#domain/channels/health/health.ts";
import { firstKey, type KeyDeps, openFirstKey, testModelFor } from "#domain/channels/key-for-test.ts";
import { noteTest } from "#domain/channels/test-history.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import { currentTime } from "#platform/clock.ts";
import type { Done, Work } from "./runner.ts";

/**
 * Tests and balance checks of stored channels, and their consequences: a channel is disabled after a second
 * failed check and enabled again after a successful test. The provider calls are injected.
 */
export interface ChannelCheckDeps extends ChannelDeps, KeyDeps {
  settings: SettingsStore;
  health: Pick<Health, "freezes" | "forgive">;
  testChannel(input: { channel: ChannelForTest; model: string }): Promise<ChannelTestResult>;
  /** Returns undefined if the provider does not report a balance. */
  fetchBalance(channel: ChannelForTest): Promise<FetchedBalance | undefined>;
}

export interface FetchedBalance {
  amount: number;
  currency: string;
  /** Set if computed from figures that may not belong together. Never a reason to disable a channel. */
  estimated?: true;
}

/** Returns the tasks of test and balance runs per channel. */
export function runTasks(deps: ChannelCheckDeps): Record<Exclude<ChannelRunKind, "models">, Work> {
  return {
    test: (id, model) => checkChannel(deps, id, model),
    balance: (id) => checkBalance(deps, id),
  };
}

/**
 * Tests a stored channel and stores the result.
 * @param model "" means the channel's default test model
 */
export async function testStoredChannel(
  deps: ChannelCheckDeps,
  id: number,
  model: string,
): Promise<ChannelTestResult> {
  const row = await getChannel(deps.db, id);
  const channel = decryptChannel(deps, row);
  const requested = model || testModelFor(deps, channel);
  const result = await deps.testChannel({ channel, model: requested });
  await noteTest(deps.db, id, result);
  if (!result.ok) return result;
  deps.health.forgive(id);
  const key = firstKey(row);
  const isOff = row.status === 3 || key?.status === 3;
  if (isOff && deps.settings.current().AutomaticEnableChannelEnabled)
    await reviveChannel(deps.db, id, key?.id, reasonOf("testSucceeded", { model: requested }));
  return result;
}

/**
 * Tests one channel of a run. A failed or slow test disables the channel only after a second test confirms
 * it.
 */
async function checkChannel(deps: ChannelCheckDeps, id: number, model: string): Promise<Done> {
  const result = await testStoredChannel(deps, id, model);
  const { duration, model: requested } = result;
  const message: Reason = { text: result.message, facts: result.message_facts };
  if (result.fault === cannotProbe) return { outcome: "skipped", model: requested, duration: 0, message };
  const outcome = result.ok ? "ok" : "failed";
  const reason = await reasonToDisable(deps, id, result);
  if (reason === undefined) return { outcome, model: requested, duration, message };
  await disableChannel(deps.db, id, reason);
  return { outcome: "failed", model: requested, duration, message: reasonBecause("disabled", reason) };
}

async function reasonToDisable(
  deps: ChannelCheckDeps,
  id: number,
  first: ChannelTestResult,
): Promise<Reason | undefined> {
  const { AutomaticDisableChannelEnabled, ChannelDisableThreshold } = deps.settings.current();
  if (!AutomaticDisableChannelEnabled) return undefined;
  const row = await getChannel(deps.db, id);
  if (row.status !== 1 || !row.auto_disable) return undefined;
  const isSlow = ({ ok, duration }: ChannelTestResult) =>
    ok && ChannelDisableThreshold > 0 && duration > ChannelDisableThreshold * 1_000;
  // One of several keys is disabled by failed calls. A test with the first key proves nothing about the
  // others.
  const isRefused = ({ fault }: ChannelTestResult) =>
    row.keys.length <= 1 && (fault === "auth" || fault === "quota");
  if (!isSlow(first) && !isRefused(first)) return undefined;
  const second = await deps.testChannel({ channel: decryptChannel(deps, row), model: first.model });
  await noteTest(deps.db, id, second);
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

/**
 * Fetches and stores the balance of a channel. Returns undefined if the provider does not report one. Throws
 * a GatewayError if the provider should report it and did not.
 */
export async function refreshBalance(
  deps: ChannelCheckDeps,
  id: number,
): Promise<(ChannelBalance & { estimated: boolean }) | undefined> {
  const row = await getChannel(deps.db, id);
  const left = await deps.fetchBalance(decryptChannel(deps, row));
  if (left === undefined) return undefined;
  await deps.db.channel.update({
    where: { id },
    data: {
      // The column holds six decimals, and no real balance reaches 1e12.
      balance: Math.max(-1e12, Math.min(1e12, left.amount)).toFixed(6),
      balance_currency: left.currency,
      balance_updated_time: currentTime(),
    },
  });
  return { balance: left.amount, currency: left.currency, estimated: left.estimated === true };
}

/**
 * Checks the balance of one channel of a run. An account that the provider reports as empty cannot serve
 * calls.
 */
async function checkBalance(deps: ChannelCheckDeps, id: number): Promise<Done> {
  const begun = performance.now();
  const left = await refreshBalance(deps, id);
  const duration = Math.round(performance.now() - begun);
  if (left === undefined)
    return {
      outcome: "skipped",
      model: "",
      duration: 0,
      message: reasonOf("balanceNotReported"),
    };
  const { AutomaticDisableChannelEnabled } = deps.settings.current();
  const row = await getChannel(deps.db, id);
  const isEmpty = !left.estimated && left.balance <= 0 && row.keys.length <= 1;
  const text = `${left.currency} ${left.balance.toFixed(2)}`;
  if (isEmpty && AutomaticDisableChannelEnabled && row.status === 1 && row.auto_disable) {
    const reason = reasonOf("accountEmpty", { balance: text });
    await disableChannel(deps.db, id, reason);
    return { outcome: "failed", model: "", duration, message: reasonBecause("disabled", reason) };
  }
  return { outcome: "ok", model: "", duration, message: plainReason(text) };
}

/** Returns a stored channel with its secrets and the key of `firstKey`. Throws `conflict` if that is unreadable. */
export function decryptChannel(deps: KeyDeps, row: ChannelWithParts): ChannelForTest {
  return { ...toFullChannelInput(deps.secrets, row), id: row.id, ...openFirstKey(deps, row) };
}
