import { type ChannelTestResult, cannotProbe } from "@gateway/shared/channels/channel";
import { reasonOf } from "@gateway/shared/reasons";
import type { UpstreamError } from "#dialects/ir.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { type ChannelInForce, type KeyInForce, testModelOf } from "./channel-in-force.ts";
import { disableChannel, disableKey, noteCircuit } from "./channel-state.ts";
import { type CircuitRules, closeCircuit, newCircuit, noteFailure, openCircuit } from "./circuit.ts";
import { createConfirm } from "./confirm.ts";
import { WHOLE } from "./freezes.ts";
import { absent, refusing, type State, type Tried } from "./health-state.ts";

/**
 * What failures of calls lead to beyond a freeze: a key or a channel switched off, a circuit opened. Each is confirmed
 * by a test of the channel first, because a caller can make calls fail at will.
 */
/** The settings of circuit breakers. */
export interface CircuitSettings extends CircuitRules {
  enabled: boolean;
}

export interface EvidenceOptions {
  now: () => number;
  onError(error: unknown): void;
  circuit: () => CircuitSettings;
  /** One short question to a channel with the keys it is passed with; `cheap`: only one that costs next to nothing. */
  test: ((channel: ChannelInForce, model: string, cheap: boolean) => Promise<ChannelTestResult>) | undefined;
}

/** Refused credentials or balance: so many in a row, over at most so long, without a success in between. */
const EVIDENCE_COUNT = 3;
const EVIDENCE_WINDOW_MS = 10 * 60_000;
/** A channel of which nothing works: so many failures in a row, over at least so long. */
const DEAD_COUNT = 10;
const DEAD_MS = 5 * 60_000;
/** Accounts whose calls must fail where no test can confirm it. */
const SEVERAL_ACCOUNTS = 3;
/** Names that clients invent for a wildcard must not fill the memory. */
const MOST_CIRCUITS = 500;

/** Collects evidence against a channel and acts on it once a test has confirmed it. */
export function createEvidence(db: PrismaClient, options: EvidenceOptions) {
  const { now, circuit: rules } = options;
  const confirm = createConfirm(now, options.onError);

  function writeDown(writing: Promise<void>): void {
    writing.catch((error: unknown) => options.onError(error));
  }

  /** With the model that a channel is usually tested with: clients must not choose what a key is judged by. */
  function testOf(channel: ChannelInForce, key: KeyInForce | undefined): () => Promise<ChannelTestResult> {
    const model = testModelOf(channel, channel.provider);
    const { test } = options;
    if (test === undefined || model === undefined) return untested;
    return () =>
      test({ ...channel, keys: key === undefined ? channel.keys.slice(0, 1) : [key] }, model, false);
  }

  /** Enough refusals of a key in a row ask for a test with it, which switches it off. */
  function collectEvidence(state: State, { channel, key }: Tried): void {
    const at = now();
    const id = key?.id ?? WHOLE;
    const known = state.refused.get(id);
    const current =
      known === undefined || at - known.first > EVIDENCE_WINDOW_MS ? { count: 0, first: at } : known;
    current.count += 1;
    state.refused.set(id, current);
    if (current.count < EVIDENCE_COUNT) return;
    confirm.start(`key ${channel.id} ${id}`, testOf(channel, key), (verdict) => {
      state.refused.delete(id);
      if (verdict.kind !== "failed" || !refusing.has(verdict.fault)) return;
      const what = verdict.fault === "auth" ? "keyRefused" : "accountWithoutBalance";
      const reason = reasonOf(what, { times: current.count, message: verdict.message });
      writeDown(
        id === WHOLE ? disableChannel(db, channel.id, reason) : disableKey(db, channel.id, id, reason),
      );
    });
  }

  /** Failures of the whole channel in a row; enough of them ask for a test, which switches it off. */
  function collectSilence(state: State, { channel, key }: Tried, error: UpstreamError, may: boolean): void {
    const at = now();
    const { run } = state;
    if (run.count === 0) run.first = at;
    run.count += 1;
    if (!may || run.count < DEAD_COUNT || at - run.first < DEAD_MS) return;
    const { count, first } = run;
    confirm.start(`channel ${channel.id}`, testOf(channel, key), (verdict) => {
      run.count = 0;
      if (verdict.kind !== "failed" || !absent.has(verdict.fault)) return;
      const minutes = Math.round((at - first) / 60_000);
      const { message } = verdict;
      const reason = reasonOf("callsFailed", { calls: count, minutes, kind: error.kind, message });
      writeDown(disableChannel(db, channel.id, reason));
    });
  }

  function circuitFailed(
    state: State,
    { channel, key }: Tried,
    model: string,
    error: UpstreamError,
    account: number,
  ): void {
    const settings = rules();
    if (!settings.enabled) return;
    let circuit = state.circuits.get(model);
    if (circuit === undefined) {
      if (state.circuits.size >= MOST_CIRCUITS) return;
      state.circuits.set(model, (circuit = newCircuit(now())));
    }
    if (!noteFailure(circuit, now(), account, settings)) return;
    const found = circuit;
    const { test } = options;
    const keys = key === undefined ? channel.keys : [key];
    const ask = test === undefined ? untested : () => test({ ...channel, keys }, model, true);
    confirm.start(`model ${channel.id} ${model}`, ask, (verdict) => {
      const several = verdict.kind === "untested" && found.accounts.size >= SEVERAL_ACCOUNTS;
      if (!several && (verdict.kind !== "failed" || verdict.fault === "bad-request"))
        return closeCircuit(found, now());
      if (!openCircuit(found, now(), settings)) return;
      const { kind } = error;
      const reason = several
        ? reasonOf("circuitByAccounts", { kind, accounts: found.accounts.size })
        : reasonOf("circuitByTest", { kind });
      writeDown(noteCircuit(db, channel.id, "circuit-opened", model, reason));
    });
  }

  return { collectEvidence, collectSilence, circuitFailed };
}

const untested = (): Promise<ChannelTestResult> =>
  Promise.resolve({ ok: false, model: "", duration: 0, message: "", message_facts: [], fault: cannotProbe });
