/**
 * Consequences of failures beyond a freeze: a key or a channel is disabled, or a circuit opens. A test of the
 * channel confirms each first, because a caller can make calls fail at will.
 */
import { type ChannelTestResult, cannotProbe } from "@gateway/shared/channels/channel";
import { reasonOf } from "@gateway/shared/reasons";
import type { UpstreamError } from "#dialects/ir.ts";
import {
  type ActiveChannel,
  type ActiveKey,
  testModelOf,
} from "#domain/channels/selection/active-channel.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { disableChannel, disableKey, recordCircuitChange } from "./channel-state.ts";
import { type CircuitRules, closeCircuit, createCircuit, recordFailure, openCircuit } from "./circuit.ts";
import { WHOLE } from "./freezes.ts";
import { absent, refusing, type State, type AttemptTarget } from "./health-state.ts";

/** Settings of the circuit breakers. */
export interface CircuitSettings extends CircuitRules {
  enabled: boolean;
}

export interface EvidenceOptions {
  now: () => number;
  onError(error: unknown): void;
  circuit: () => CircuitSettings;
  /**
   * Sends one short request to a channel with the given keys. With `cheap`, sends it only if it costs almost
   * nothing.
   */
  test: ((channel: ActiveChannel, model: string, cheap: boolean) => Promise<ChannelTestResult>) | undefined;
}

/** Consecutive refusals of credentials or balance that trigger a test, and the maximum time they may span. */
const EVIDENCE_COUNT = 3;
const EVIDENCE_WINDOW_MS = 10 * 60_000;
/** Consecutive failures of a whole channel that trigger a test, and the minimum time they must span. */
const DEAD_COUNT = 10;
const DEAD_MS = 5 * 60_000;
/** Number of accounts whose calls must fail where no test can confirm the failure. */
const SEVERAL_ACCOUNTS = 3;
/** Limits memory: clients can invent any number of model names for a wildcard. */
const MOST_CIRCUITS = 500;

/** Collects evidence against a channel and acts on it after a test confirms it. */
export function createEvidence(db: PrismaClient, options: EvidenceOptions) {
  const { now, circuit: rules } = options;
  const confirm = createConfirm(now, options.onError);

  function writeDown(writing: Promise<void>): void {
    writing.catch((error: unknown) => options.onError(error));
  }

  /**
   * Returns a test with the default test model: clients must not choose the model that decides about a key.
   */
  function testOf(channel: ActiveChannel, key: ActiveKey | undefined): () => Promise<ChannelTestResult> {
    const model = testModelOf(channel, channel.provider);
    const { test } = options;
    if (test === undefined || model === undefined) return skipTest;
    return () =>
      test({ ...channel, keys: key === undefined ? channel.keys.slice(0, 1) : [key] }, model, false);
  }

  /**
   * Counts consecutive refusals of a key. Enough of them start a test with this key; a refused test disables
   * it.
   */
  function collectEvidence(state: State, { channel, key }: AttemptTarget): void {
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
      const reason = reasonOf(what, { times: current.count, message: verdict.message.replace(/\.$/, "") });
      writeDown(
        id === WHOLE ? disableChannel(db, channel.id, reason) : disableKey(db, channel.id, id, reason),
      );
    });
  }

  /**
   * Counts consecutive failures of the whole channel. Enough of them start a test; a failed test disables the
   * channel.
   */
  function collectSilence(
    state: State,
    { channel, key }: AttemptTarget,
    error: UpstreamError,
    may: boolean,
  ): void {
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
    { channel, key }: AttemptTarget,
    model: string,
    error: UpstreamError,
    account: number,
  ): void {
    const settings = rules();
    if (!settings.enabled) return;
    let circuit = state.circuits.get(model);
    if (circuit === undefined) {
      if (state.circuits.size >= MOST_CIRCUITS) return;
      state.circuits.set(model, (circuit = createCircuit(now())));
    }
    if (!recordFailure(circuit, now(), account, settings)) return;
    const found = circuit;
    const { test } = options;
    const keys = key === undefined ? channel.keys : [key];
    const ask = test === undefined ? skipTest : () => test({ ...channel, keys }, model, true);
    confirm.start(`model ${channel.id} ${model}`, ask, (verdict) => {
      const several = verdict.kind === "untested" && found.accounts.size >= SEVERAL_ACCOUNTS;
      if (!several && (verdict.kind !== "failed" || verdict.fault === "bad-request"))
        return closeCircuit(found, now());
      if (!openCircuit(found, now(), settings)) return;
      const { kind } = error;
      const reason = several
        ? reasonOf("circuitByAccounts", { kind, accounts: found.accounts.size })
        : reasonOf("circuitByTest", { kind });
      writeDown(recordCircuitChange(db, channel.id, "circuit-opened", model, reason));
    });
  }

  return { collectEvidence, collectSilence, circuitFailed };
}

const skipTest = (): Promise<ChannelTestResult> =>
  Promise.resolve({ ok: false, model: "", duration: 0, message: "", message_facts: [], fault: cannotProbe });

/**
 * Tests that confirm failures before they affect other accounts. Their rate is limited: callers control what
 * they send, so they must not control how often a provider is paid for a test.
 */
interface Confirm {
  /**
   * Starts a test unless one for the same subject is running or ran a short while ago.
   * @param subject what is tested: a key, a model or a channel
   */
  start(subject: string, test: () => Promise<ChannelTestResult>, then: (verdict: Verdict) => void): void;
}

/** `untested` means that no cheap test request exists. */
type Verdict = { kind: "passed" | "untested" } | { kind: "failed"; fault: string; message: string };

/** Minimum pause after a passed test of a subject. */
const PAUSE_MS = 60_000;
const FAILED_PAUSE_MS = 5_000;
const MOST_AT_ONCE = 4;
const MOST_KEPT = 2_000;

function createConfirm(now: () => number, onError: (error: unknown) => void): Confirm {
  /** Milliseconds since 1970 before which no test starts; infinite while a test runs. */
  const waiting = new Map<string, number>();
  let inProgress = 0;

  function forgetOld(): void {
    if (waiting.size < MOST_KEPT) return;
    for (const [subject, until] of waiting) if (until <= now()) waiting.delete(subject);
  }

  return {
    start(subject, test, then) {
      if ((waiting.get(subject) ?? 0) > now() || inProgress >= MOST_AT_ONCE) return;
      forgetOld();
      waiting.set(subject, Number.POSITIVE_INFINITY);
      inProgress += 1;
      void test()
        .then((result) => {
          const verdict = verdictOf(result);
          waiting.set(subject, now() + (verdict.kind === "failed" ? FAILED_PAUSE_MS : PAUSE_MS));
          then(verdict);
        })
        .catch((error: unknown) => {
          waiting.set(subject, now() + PAUSE_MS);
          onError(error);
        })
        .finally(() => {
          inProgress -= 1;
        });
    },
  };
}

function verdictOf({ ok, fault, message }: ChannelTestResult): Verdict {
  if (ok) return { kind: "passed" };
  return fault === cannotProbe ? { kind: "untested" } : { kind: "failed", fault, message };
}
