import type { AttemptNote, PausedChannel, SkippedChannel } from "@gateway/shared/usage/log";
import type { UpstreamError } from "#dialects/ir.ts";
import { now } from "#platform/clock.ts";
import type { RoutedCall } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { CallConnection } from "#relay/core/upstream/call-connection.ts";
import type { ReportedAttempt } from "./call-report.ts";

/** What was tried for a call, and when its response began. For its log row. */
export class Attempts {
  readonly #metrics: RelayServices["metrics"];
  #notes: AttemptNote[] = [];
  readonly #providers: string[] = [];
  #paused: readonly PausedChannel[] = [];
  #skipped: readonly SkippedChannel[] = [];
  #firstByteAt: number | undefined;
  #firstTextAt: number | undefined;

  constructor({ metrics }: Pick<RelayServices, "metrics">) {
    this.#metrics = metrics;
  }

  get notes(): readonly AttemptNote[] {
    return this.#notes;
  }

  /** Returns the attempts with the providers that they reached; undefined for those that another node made. */
  reported(): ReportedAttempt[] {
    const others = this.#notes.length - this.#providers.length;
    return this.#notes.map((note, index) => ({ note, provider: this.#providers[index - others] }));
  }

  /** Channels that were paused when the call began. */
  get paused(): readonly PausedChannel[] {
    return this.#paused;
  }

  /** Channels not tried before the last failure, without those tried since. */
  get skipped(): readonly SkippedChannel[] {
    if (this.#skipped.length === 0) return this.#skipped;
    const tried = new Set(this.#notes.map((note) => note.channel_id));
    return this.#skipped.filter((note) => !tried.has(note.channel_id));
  }

  /** The channel of the last failed or finished attempt; undefined before the first. */
  get lastChannelId(): number | undefined {
    return this.#notes.at(-1)?.channel_id;
  }

  get firstByteAt(): number | undefined {
    return this.#firstByteAt;
  }

  /** When the first text of a stream arrived. What a model writes before is hidden. */
  get firstTextAt(): number | undefined {
    return this.#firstTextAt;
  }

  /** Records the channels that are paused when the call begins. */
  notePaused(paused: readonly PausedChannel[]): void {
    this.#paused = paused;
  }

  /** Records an attempt. @param error why it failed, or the provider's error that passes to the client */
  add(
    { planned, target, startedAt }: RoutedCall,
    { requestId, transport }: CallConnection,
    error: UpstreamError | undefined,
  ): void {
    const { channel } = target;
    const duration = now() - startedAt;
    this.#metrics.attempt(channel.provider.id, channel.id, error?.kind ?? "ok", duration);
    const note: AttemptNote = {
      channel_id: channel.id,
      channel_name: channel.name,
      result: error?.kind ?? "ok",
      status: error?.status ?? 200,
      duration,
      message: error?.message.slice(0, 500) ?? "",
      begun: Math.max(0, startedAt - planned.received.startedAt),
      priority: channel.priority,
    };
    if (requestId !== undefined) note.upstream_request_id = requestId;
    if (transport !== undefined) note.transport = transport;
    this.#notes.push(note);
    this.#providers.push(channel.provider.id);
  }

  /** Records the channels that were not tried, after a failure. */
  noteSkipped(channels: readonly SkippedChannel[]): void {
    this.#skipped = channels;
  }

  receiveByte(): void {
    this.#firstByteAt ??= now();
  }

  receiveText(): void {
    this.#firstTextAt ??= now();
  }

  /** Continues the attempts of a call that another node began. */
  restore({ notes, paused, firstByteAt }: StoredAttempts): void {
    this.#notes = [...notes];
    this.#paused = paused;
    this.#firstByteAt = firstByteAt;
  }
}

export interface StoredAttempts {
  readonly notes: readonly AttemptNote[];
  readonly paused: readonly PausedChannel[];
  readonly firstByteAt?: number | undefined;
}
