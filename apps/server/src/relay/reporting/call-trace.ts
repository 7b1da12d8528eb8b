import type { SpanContext } from "@opentelemetry/api";
import type { SpanWriter } from "#platform/telemetry/span-writer.ts";
import type { AnswerListener, CallTrace, SessionEnd } from "#relay/core/call.ts";
import { SessionSpans } from "./session-spans.ts";

export interface TracingOptions {
  /** The site's rate. */
  pointsPerUsd(): number;
  /** Providers receive the context of the trace. */
  toProviders: boolean;
  /** The beginnings of request and response are attributes of the span. */
  withContent: boolean;
}

/** Content of a response that an attribute may have, in characters. */
export const MAX_CONTENT = 4_096;
/** The end of a response, where the finish reason is. */
const MAX_END = 8_192;

/** The trace of one call: its place in the client's trace, the spans of its attempts, and its response as text. */
export class RecordedTrace implements CallTrace {
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  /** Contexts of the attempts that were announced to providers, in order. */
  readonly attempts: SpanContext[] = [];
  readonly #spans: SpanWriter;
  readonly #options: TracingOptions;
  #begin = "";
  #lastPieces: string[] = [];
  #lastLength = 0;
  #isListening = false;
  #afterwards: (() => void) | undefined;
  #session: SessionSpans | undefined;

  constructor(spans: SpanWriter, headers: Readonly<Record<string, unknown>>, options: TracingOptions) {
    const { context, parent } = spans.begin(headers, "call");
    this.context = context;
    this.parent = parent;
    this.#spans = spans;
    this.#options = options;
  }

  get isSampled(): boolean {
    return (this.context.traceFlags & 1) === 1;
  }

  /** Undefined for a call that is no session. */
  get session(): SessionSpans | undefined {
    return this.#session;
  }

  /** The beginning of the response; "" unless content is recorded. */
  get begin(): string {
    return this.#begin;
  }

  /** The end of the response. */
  get end(): string {
    return this.#lastPieces.join("").slice(-MAX_END);
  }

  beginAttempt(): Record<string, string> | undefined {
    if (!this.#options.toProviders) return undefined;
    const context = this.#spans.below(this.context);
    this.attempts.push(context);
    return this.#spans.headersOf(context);
  }

  beginSession(): void {
    if (this.isSampled) this.#session = new SessionSpans(this.#spans, this, this.#options);
  }

  endSession(end: SessionEnd): void {
    this.#session?.end(end);
  }

  listen(): AnswerListener | undefined {
    if (!this.isSampled || this.#isListening) return undefined;
    this.#isListening = true;
    const { withContent } = this.#options;
    return {
      piece: (text) => {
        if (withContent && this.#begin.length < MAX_CONTENT)
          this.#begin += text.slice(0, MAX_CONTENT - this.#begin.length);
        this.#keepLast(text);
      },
      ended: () => {
        this.#isListening = false;
        this.#afterwards?.();
      },
    };
  }

  #keepLast(text: string): void {
    this.#lastPieces.push(text);
    this.#lastLength += text.length;
    while (this.#lastLength - (this.#lastPieces[0]?.length ?? 0) >= MAX_END)
      this.#lastLength -= this.#lastPieces.shift()?.length ?? 0;
  }

  /** Calls `then` once the response is over; at once when no one listens to it. */
  afterResponse(then: () => void): void {
    if (this.#isListening) this.#afterwards = then;
    else then();
  }
}
