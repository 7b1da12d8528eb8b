import { reasonOf } from "@gateway/shared/reasons";
import type { UpstreamError } from "#dialects/ir.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { now as clock } from "#platform/clock.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { recordCircuitChange } from "./channel-state.ts";
import { admitsCall, type Circuit, isForgotten, isHalfOpen, recordSuccess } from "./circuit.ts";
import { type CircuitSettings, createEvidence, type EvidenceOptions } from "./evidence.ts";
import { createFreezes, WHOLE } from "./freezes.ts";
import {
  absent,
  circuitsOf,
  type Frozen,
  listFrozen,
  findFrozenPart,
  isKeyFailure,
  type Pause,
  pauseOf,
  refusing,
  type State,
  type AttemptTarget,
} from "./health-state.ts";

/**
 * Health of the channels as this node observes it: freezes after failures, circuits, calls in progress, and
 * evidence for disabling a key or channel. A test of the channel, or calls of several accounts, must confirm
 * anything that affects accounts other than the one whose calls failed. The state is in memory; only status
 * changes and circuit events are stored.
 */
export interface Health {
  /**
   * Returns whether a call of this account may use the channel now: not frozen, not full, and with a free
   * key.
   */
  usable(channel: ActiveChannel, model: string, account: number): boolean;
  keyUsable(channel: ActiveChannel, keyId: number, model: string, account: number): boolean;
  /** Returns why a channel is skipped for this account, and until when; undefined if it is not paused. */
  pause(channel: ActiveChannel, model: string, account: number): Pause | undefined;
  /** Returns the first paused channels, at most `most`. Costs almost nothing while no channel is paused. */
  pausedAmong(
    channels: readonly ActiveChannel[],
    model: string,
    account: number,
    most: number,
  ): { channel: ActiveChannel; pause: Pause }[];
  /** Returns all current pauses of a channel. */
  freezes(channelId: number): Frozen[];
  /** Returns the current pauses of every channel that has one. */
  paused(): { channelId: number; reason: Frozen["reason"] }[];
  /** Returns whether a channel has reached its limit of concurrent calls. */
  full(channel: ActiveChannel): boolean;
  /** Registers a call in progress; it counts until it leaves. */
  enter(channel: ActiveChannel, model: string): ChannelSlot;
  failed(tried: AttemptTarget, model: string, error: UpstreamError, options: FailureOptions): void;
  /**
   * Records that another channel served the call that failed here, so the request itself was not at fault.
   */
  servedElsewhere(tried: AttemptTarget, model: string, error: UpstreamError, account: number): void;
  succeeded(tried: AttemptTarget, model: string, account: number): void;
  /** Clears the failures of a channel that an operator has just changed or tested successfully. */
  forgive(channelId: number): void;
}

export interface ChannelSlot {
  /** Ends the call, whatever its outcome. Repeated calls have no effect. */
  leave(): void;
}

export interface FailureOptions {
  /** The account whose call failed. */
  account: number;
  /** Freeze in seconds if the provider does not request one; 0 means none. */
  cooldownSeconds: number;
  mayDisable: boolean;
}

export interface HealthOptions {
  onError(error: unknown): void;
  now?: () => number;
  /** Number of nodes that share a channel's limit of concurrent calls. */
  nodes?: () => number;
  circuit?: () => CircuitSettings;
  test?: EvidenceOptions["test"];
}

/** Maximum freeze: longer pauses that a provider requests are cut to one hour. */
const MAX_FREEZE_SECONDS = 3_600;
const defaultCircuit: CircuitSettings = { enabled: true, share: 50, pauseMs: 30_000 };

const NO_SLOT: ChannelSlot = { leave: () => undefined };

/** Health of the channels as this node observes it. */
class NodeHealth implements Health {
  readonly #db: PrismaClient;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  readonly #nodes: () => number;
  readonly #rules: () => CircuitSettings;
  readonly #evidence: ReturnType<typeof createEvidence>;
  readonly #states = new Map<number, State>();

  constructor(db: PrismaClient, options: HealthOptions) {
    const { onError, test, now = clock, nodes = () => 1, circuit = () => defaultCircuit } = options;
    this.#db = db;
    this.#onError = onError;
    this.#now = now;
    this.#nodes = nodes;
    this.#rules = circuit;
    this.#evidence = createEvidence(db, { now, onError, circuit, test });
  }

  usable(channel: ActiveChannel, model: string, account: number): boolean {
    const state = this.#states.get(channel.id);
    if (state === undefined) return true;
    if (this.#isFull(channel, state)) return false;
    const circuit = this.#circuitOf(state, model);
    if (circuit !== undefined && !admitsCall(circuit, this.#now())) return false;
    if (state.frozen.isEmpty()) return true;
    const at = this.#now();
    if (state.frozen.find(model, WHOLE, account, at) !== undefined) return false;
    return (
      channel.keys.length === 0 ||
      channel.keys.some((key) => state.frozen.find(model, key.id, account, at) === undefined)
    );
  }

  keyUsable(channel: ActiveChannel, keyId: number, model: string, account: number): boolean {
    const state = this.#states.get(channel.id);
    return state === undefined || state.frozen.find(model, keyId, account, this.#now()) === undefined;
  }

  pausedAmong(
    channels: readonly ActiveChannel[],
    model: string,
    account: number,
    most: number,
  ): { channel: ActiveChannel; pause: Pause }[] {
    const found: { channel: ActiveChannel; pause: Pause }[] = [];
    if (this.#states.size === 0) return found;
    for (const channel of channels) {
      const pause = this.pause(channel, model, account);
      if (pause !== undefined && found.push({ channel, pause }) >= most) break;
    }
    return found;
  }

  freezes(channelId: number): Frozen[] {
    const state = this.#states.get(channelId);
    return state === undefined ? [] : [...circuitsOf(state, this.#now()), ...listFrozen(state, this.#now())];
  }

  paused(): { channelId: number; reason: Frozen["reason"] }[] {
    const at = this.#now();
    return [...this.#states].flatMap(([channelId, state]) =>
      [...circuitsOf(state, at), ...listFrozen(state, at)].map(({ reason }) => ({ channelId, reason })),
    );
  }

  full(channel: ActiveChannel): boolean {
    const state = this.#states.get(channel.id);
    return state !== undefined && this.#isFull(channel, state);
  }

  enter(channel: ActiveChannel, model: string): ChannelSlot {
    const known = this.#states.get(channel.id);
    const circuit = known === undefined ? undefined : this.#circuitOf(known, model);
    const at = this.#now();
    const probes = circuit !== undefined && isHalfOpen(circuit, at);
    if (channel.maxConcurrency === 0 && !probes) return NO_SLOT;
    const state = known ?? this.#stateOf(channel.id);
    state.inProgress += 1;
    if (probes) circuit.probeSince = at;
    let over = false;
    return {
      leave: () => {
        if (over) return;
        over = true;
        state.inProgress -= 1;
        if (probes && circuit.probeSince === at) circuit.probeSince = 0;
        this.#tidy(channel.id, state);
      },
    };
  }

  failed(tried: AttemptTarget, model: string, error: UpstreamError, options: FailureOptions): void {
    const { account, cooldownSeconds, mayDisable } = options;
    const { channel } = tried;
    // A bad request of the caller is no evidence against the channel.
    if (error.kind === "bad-request") {
      const state = this.#states.get(channel.id);
      if (state !== undefined) this.#circuitPassed(state, channel.id, model);
      return;
    }
    const state = this.#stateOf(channel.id);
    const at = this.#now();
    const seconds = Math.min(error.retryAfter ?? cooldownSeconds, MAX_FREEZE_SECONDS);
    const until = at + seconds * 1_000;
    const hardUntil = error.retryAfter === undefined ? 0 : until;
    if (seconds > 0)
      state.frozen.add(
        { ...findFrozenPart(tried, model, error), account, until, hardUntil, reason: error.kind },
        at,
      );
    if (refusing.has(error.kind) && mayDisable) this.#evidence.collectEvidence(state, tried);
    if (absent.has(error.kind)) this.#evidence.collectSilence(state, tried, error, mayDisable);
    if (!isKeyFailure(error)) this.#evidence.circuitFailed(state, tried, model, error, account);
  }

  servedElsewhere(tried: AttemptTarget, model: string, error: UpstreamError, account: number): void {
    const part = findFrozenPart(tried, model, error);
    this.#states.get(tried.channel.id)?.frozen.confirm(part.model, part.keyId, account, this.#now());
  }

  succeeded({ channel, key }: AttemptTarget, model: string, account: number): void {
    const state = this.#states.get(channel.id);
    if (state === undefined) return;
    state.refused.delete(key?.id ?? WHOLE);
    state.run.count = 0;
    this.#circuitPassed(state, channel.id, model);
    state.frozen.end(model, key?.id ?? WHOLE, account);
    this.#tidy(channel.id, state);
  }

  forgive(channelId: number): void {
    const state = this.#states.get(channelId);
    if (state === undefined) return;
    state.frozen.clear();
    state.circuits.clear();
    state.refused.clear();
    state.run.count = 0;
    this.#tidy(channelId, state);
  }

  #stateOf(channelId: number): State {
    let state = this.#states.get(channelId);
    if (state === undefined) {
      state = {
        frozen: createFreezes(),
        circuits: new Map(),
        refused: new Map(),
        run: { count: 0, first: 0 },
        inProgress: 0,
      };
      this.#states.set(channelId, state);
    }
    return state;
  }

  #writeDown(writing: Promise<void>): void {
    writing.catch((error: unknown) => this.#onError(error));
  }

  #isFull(channel: ActiveChannel, state: State): boolean {
    if (channel.maxConcurrency === 0) return false;
    return state.inProgress >= Math.max(1, Math.floor(channel.maxConcurrency / this.#nodes()));
  }

  /** Records a response of the provider. A rejection of the request itself counts as a response too. */
  #circuitPassed(state: State, channelId: number, model: string): void {
    const circuit = state.circuits.get(model);
    if (circuit === undefined) return;
    if (recordSuccess(circuit, this.#now()))
      this.#writeDown(
        recordCircuitChange(this.#db, channelId, "circuit-closed", model, reasonOf("callSucceeded")),
      );
    if (isForgotten(circuit, this.#now())) state.circuits.delete(model);
  }

  #tidy(channelId: number, state: State): void {
    const idle = state.inProgress === 0 && state.run.count === 0 && state.refused.size === 0;
    if (idle && state.frozen.isEmpty() && state.circuits.size === 0) this.#states.delete(channelId);
  }

  #circuitOf(state: State, model: string): Circuit | undefined {
    if (state.circuits.size === 0 || !this.#rules().enabled) return undefined;
    return state.circuits.get(model);
  }

  pause(channel: ActiveChannel, model: string, account: number): Pause | undefined {
    const state = this.#states.get(channel.id);
    if (state === undefined) return undefined;
    return pauseOf(channel, state, {
      model,
      account,
      circuit: this.#circuitOf(state, model),
      at: this.#now(),
    });
  }
}

export function createHealth(db: PrismaClient, options: HealthOptions): Health {
  return new NodeHealth(db, options);
}
