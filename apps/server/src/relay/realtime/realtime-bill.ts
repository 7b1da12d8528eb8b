import type { Usage } from "#dialects/ir.ts";
import { plausibleUsage } from "#domain/pricing/plausible.ts";
import { computeBill, findPrice } from "#domain/pricing/pricing.ts";
import { internalError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import { CallBill } from "#relay/core/billing/call-bill.ts";
import { addTo } from "#relay/core/billing/tally-text.ts";
import type { EndedCall, PricedTarget, ReceivedCall, RoutedCall } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { covers, estimateOf, longestOutput } from "./realtime-estimate.ts";
import type { InputPart, SessionFacts } from "./realtime-events.ts";
import { countedUsage, emptyCount, type MediaCount, SessionCount, transcriptUsage } from "./session-count.ts";

/** Maximum billable limit. */
const MOST_TOKENS = 1_000_000_000;
/** Responses and items that are remembered as charged. */
const MOST_CHARGED = 1_000;

interface Turn {
  bill: CallBill;
  routed: RoutedCall;
  output: MediaCount;
  /** Input received before the response began, which is part of its input. */
  inputBefore: MediaCount;
}

interface BilledSession {
  readonly routed: RoutedCall;
  /** The bill of the session's call. Its reservation is for the first response. */
  readonly first: CallBill;
  admit(call: ReceivedCall): Promise<ReceivedCall>;
}

/**
 * The billing of a realtime session. Every response has its own reservation, which becomes its charge and log
 * row before the client receives the response's end. While the session is open, one more reservation waits
 * for the next response. Does not use sockets.
 */
export class RealtimeBill {
  readonly #services: RelayServices;
  readonly #session: BilledSession;
  readonly #target: PricedTarget;
  readonly #call: ReceivedCall;
  readonly #turns = new Map<string, Turn>();
  #spare: Turn | undefined;
  #holding: Promise<Turn> | undefined;
  /** Charges of transcriptions, one after the other. */
  #paying: Promise<void> = Promise.resolve();
  #number = 0;
  #closed = false;
  readonly #count = new SessionCount();
  readonly #owed: { usage: Usage; at: PricedTarget }[] = [];
  /** Ids of what was charged: an event that the provider repeats costs nothing. */
  readonly #charged = new Set<string>();
  /** Facts that the session reports. */
  facts: SessionFacts = {
    maxOutput: undefined,
    inputBytesPerSecond: 48_000,
    outputBytesPerSecond: 48_000,
    transcriber: undefined,
  };
  /** The client's last limit, which the provider has not confirmed yet. */
  #wanted: number | undefined;
  readonly #longest: number;

  constructor(services: RelayServices, session: BilledSession) {
    this.#services = services;
    this.#session = session;
    this.#target = session.routed.target;
    this.#call = session.routed.planned.received;
    this.#spare = newTurn(session.first, session.routed);
    this.#longest = longestOutput(this.#target.upstreamModel);
  }

  /** Called when a response has begun at the provider. Throws when it cannot be reserved. */
  async begin(id: string): Promise<void> {
    if (this.#turns.has(id)) return;
    const turn = await this.#take();
    turn.bill.beginAt(now());
    turn.inputBefore = this.#count.unreadInput();
    this.#turns.set(id, turn);
  }

  /**
   * Reserves the next response, based on the current conversation. Throws when that fails.
   * @param limit output tokens that the request itself allows, if any
   */
  ready(limit?: number): Promise<void> {
    return this.#ensureSpare(true, limit);
  }

  /**
   * Charges transcriptions that wait, and reserves the next response again. Call it after the event that `done` or
   * `transcribed` charged was sent: when this fails, the client has received what it paid for.
   * @param rated the next response counts against the rate limit
   */
  async renew(rated: boolean): Promise<void> {
    await this.#payOwed();
    await this.#ensureSpare(rated);
  }

  /** Sets the client's latest limit for the whole session; undefined for none. */
  limit(output: number | undefined): void {
    this.#wanted = output;
  }

  /** Records input of the client. Raises the reservation; throws when that fails. */
  async input(part: InputPart): Promise<void> {
    this.#count.addInput(part, this.facts.inputBytesPerSecond);
    if (this.#spare !== undefined) await this.#ensureSpare(false);
  }

  output(id: string, part: { text: string } | { bytes: number }): void {
    const turn = this.#turns.get(id);
    if (turn === undefined) return;
    turn.bill.attempts.receiveByte();
    turn.bill.deliver({
      progress: () => ({ reported: undefined, delivered: turn.output.tally, counted: this.#counted(turn) }),
    });
    if ("text" in part) addTo(turn.output.tally, part.text);
    else turn.output.sound += part.bytes / this.facts.outputBytesPerSecond;
  }

  /** Charges a response. */
  async done(id: string, usage: Usage | undefined, outcome: EndedCall["outcome"]): Promise<void> {
    if (!this.#isFirst(id)) return;
    const turn = this.#turns.get(id) ?? (await this.#take());
    this.#turns.delete(id);
    await this.#charge(turn, outcome, usage);
    this.#count.endResponse(usage ?? this.#counted(turn), turn.inputBefore);
  }

  /** Records the text of a running transcription. Charged by our count if its end never arrives. */
  transcribing(item: string, text: string): void {
    // Without a transcriber, recordings are only for the model.
    if (this.facts.transcriber === undefined && text === "") return;
    this.#count.addTranscript(item, text);
  }

  /** Discards a transcription that failed. */
  untranscribed(item: string): void {
    this.#count.takeTranscription(item);
  }

  /**
   * Charges a transcription of the user's speech by another model: at once, or with the response in progress.
   * A session thus never reserves more at a time than for its responses. Returns whether the reservation of the
   * next response was used: then `renew` must follow.
   */
  async transcribed(item: string, usage: Usage | undefined, text: string): Promise<boolean> {
    if (!this.#isFirst(item)) return false;
    const { sound } = this.#count.takeTranscription(item);
    const { tally } = emptyCount();
    addTo(tally, text);
    const counted = transcriptUsage({ tally, sound });
    this.#owe(usage === undefined ? counted : plausibleUsage(usage, counted, counted).usage);
    const turn = this.#spare;
    if (turn === undefined && this.#turns.size > 0) return false;
    this.#spare = undefined;
    await this.#payOwed(turn);
    return true;
  }

  /** Remembers what is charged. Returns false when it was charged before. */
  #isFirst(id: string): boolean {
    if (this.#charged.has(id)) return false;
    const [oldest] = this.#charged;
    if (this.#charged.size >= MOST_CHARGED && oldest !== undefined) this.#charged.delete(oldest);
    if (id !== "") this.#charged.add(id);
    return true;
  }

  /** Whether responses are in progress. */
  busy(): boolean {
    return this.#turns.size > 0;
  }

  /** Whether anything in progress is to be charged. */
  owes(): boolean {
    return this.#turns.size > 0 || this.#count.isTranscribing();
  }

  /** Charges what was delivered, releases the rest, and writes the session's own log row. Never throws. */
  async close(outcome: EndedCall["outcome"]): Promise<void> {
    this.#closed = true;
    await this.#holding?.catch(() => {});
    for (const count of this.#count.takeTranscriptions()) this.#owe(transcriptUsage(count));
    const open = [...this.#turns.values()].map((turn) => this.#charge(turn, outcome, undefined));
    this.#turns.clear();
    if (this.#spare !== undefined) open.push(this.#giveBack(this.#spare, outcome));
    this.#spare = undefined;
    const ends = await Promise.allSettled([...open, Promise.allSettled(open).then(() => this.#payOwed())]);
    for (const end of ends) if (end.status === "rejected") this.#services.onError(end.reason);
  }

  #nextId() {
    return `${this.#call.requestId}-${(this.#number += 1)}`;
  }

  #mostOutput(limit: number) {
    return Math.min(
      MOST_TOKENS,
      Math.max(this.#longest, limit, this.#wanted ?? 0, this.facts.maxOutput ?? 0),
    );
  }

  #costOf(estimate: Usage) {
    return computeBill(this.#target.price, this.#target.groupRatio, estimate, 1).points;
  }

  async #reserveNext(rated: boolean, limit: number): Promise<Turn> {
    const estimate = estimateOf(this.#count.conversation(), this.#mostOutput(limit));
    const requested = { ...this.#call, requestId: this.#nextId(), startedAt: now(), estimate };
    return this.#reserve(
      rated ? await this.#session.admit(requested) : withoutRateLimit(requested),
      this.#target,
      this.#costOf(estimate),
    );
  }

  /** Raises a reservation. On failure, the reservation is gone. */
  async #raise({ bill, routed }: Turn, limit: number): Promise<Turn> {
    const estimate = estimateOf(this.#count.conversation(), this.#mostOutput(limit));
    const planned = {
      ...routed.planned,
      plan: { ...routed.planned.plan, estimate, worstCase: this.#costOf(estimate) },
    };
    try {
      await bill.raise(planned);
    } catch (error) {
      bill.refuse(error);
      throw error;
    }
    return newTurn(bill, { ...routed, planned });
  }

  async #reserve(received: ReceivedCall, at: PricedTarget, worstCase: bigint): Promise<Turn> {
    const bill = new CallBill(this.#services, received);
    const plan = { ...this.#session.routed.planned.plan, estimate: received.estimate, worstCase };
    const routed = { planned: { received, model: received.model, plan }, target: at, startedAt: now() };
    bill.route(routed);
    try {
      await bill.reserve(routed.planned);
    } catch (error) {
      bill.refuse(error);
      throw error;
    }
    return newTurn(bill, routed);
  }

  async #take(): Promise<Turn> {
    await this.#ensureSpare();
    const turn = this.#spare;
    if (turn === undefined) throw internalError(new Error("A response has no reservation."));
    this.#spare = undefined;
    return turn;
  }

  /** Runs one reservation at a time, for any number of callers. */
  async #ensureSpare(rated = true, limit = 0): Promise<void> {
    // A key that may have one call at a time cannot reserve a response beside a transcription.
    await this.#paying.catch(() => {});
    while (
      this.#spare === undefined ||
      !covers(this.#spare.routed.planned.plan.estimate, this.#count.conversation(), this.#mostOutput(limit))
    ) {
      if (this.#holding === undefined) {
        const turn = this.#spare;
        this.#spare = undefined;
        this.#holding = (
          turn === undefined ? this.#reserveNext(rated, limit) : this.#raise(turn, limit)
        ).finally(() => {
          this.#holding = undefined;
        });
      }
      const turn = await this.#holding;
      if (this.#closed) return this.#giveBack(turn, "complete");
      this.#spare ??= turn;
    }
  }

  /** Records a transcription to charge, at its own model's price. */
  #owe(usage: Usage): void {
    const billedModel = this.facts.transcriber ?? this.#target.billedModel;
    const price = findPrice(this.#services.prices.table(), billedModel);
    this.#owed.push({
      usage,
      at: price === undefined ? this.#target : { ...this.#target, billedModel, price },
    });
  }

  #counted({ output }: Turn): Usage {
    return countedUsage(this.#count.conversation(), output);
  }

  async #charge(turn: Turn, outcome: EndedCall["outcome"], reported: Usage | undefined): Promise<void> {
    const { output } = turn;
    const silent = output.sound === 0 && output.tally.narrow === 0 && output.tally.wide === 0;
    // Neither usage nor output: the provider did not respond, so the call is free.
    const usage = reported ?? (silent && outcome !== "client-left" ? NOTHING_USED : undefined);
    await turn.bill.settle({
      routed: turn.routed,
      outcome,
      reported: usage,
      final: reported !== undefined,
      delivered: output.tally,
      ...(usage === undefined ? { counted: this.#counted(turn) } : {}),
    });
  }

  /** Charges the recorded transcriptions, with the given reservation or new ones. */
  #payOwed(reserved?: Turn): Promise<void> {
    this.#paying = this.#paying.catch(() => {}).then(() => this.#pay(reserved));
    return this.#paying;
  }

  async #pay(reserved?: Turn): Promise<void> {
    let turn = reserved;
    for (let next = this.#owed.shift(); next !== undefined; next = this.#owed.shift()) {
      const { usage, at } = next;
      const { points } = computeBill(at.price, at.groupRatio, usage, 1);
      const requested = { ...this.#call, requestId: this.#nextId(), startedAt: now(), estimate: usage };
      turn ??= await this.#reserve(withoutRateLimit(requested), at, points);
      const { bill } = turn;
      const routed = { ...turn.routed, target: at };
      turn = undefined;
      bill.beginAt(now());
      await bill.settle({ routed, outcome: "complete", reported: usage, delivered: emptyCount().tally });
    }
  }

  async #giveBack({ bill, routed }: Turn, outcome: EndedCall["outcome"]): Promise<void> {
    bill.beginAt(this.#call.startedAt);
    await bill.settle({ routed, outcome, reported: NOTHING_USED, delivered: emptyCount().tally });
  }
}

/** Returns the call without its rate limit: it belongs to an admitted session. */
function withoutRateLimit(call: ReceivedCall): ReceivedCall {
  const { used: _used, ...rest } = call;
  return rest;
}

const NOTHING_USED: Usage = { input: 0, output: 0 };

function newTurn(bill: CallBill, routed: RoutedCall): Turn {
  return { bill, routed, output: emptyCount(), inputBefore: emptyCount() };
}
