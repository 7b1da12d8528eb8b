/**
 * The part of AbortSignal that the path of a call uses. Every call has several signals, and almost none of
 * them fires. This one costs a single object; an AbortController costs a signal, an event and their
 * listeners.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface Cancellation extends CancelSignal {
  /** Calls each listener once. Listeners added later are not called. */
  cancel(): void;
}

class Cancel implements Cancellation {
  aborted = false;
  /** Undefined without a listener, as for most of the time. */
  #listeners: (() => void)[] | undefined;

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.aborted) return;
    if (this.#listeners === undefined) this.#listeners = [listener];
    else if (!this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1;
    if (at !== -1) this.#listeners?.splice(at, 1);
  }

  cancel(): void {
    if (this.aborted) return;
    this.aborted = true;
    const called = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of called) listener();
  }
}

export function createCancellation(): Cancellation {
  return new Cancel();
}

/** Returns an equivalent AbortSignal, for libraries that require one. */
export function abortSignalOf(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener("abort", () => controller.abort(), { once: true });
  return controller.signal;
}
