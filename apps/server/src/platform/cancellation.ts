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

export function createCancellation(): Cancellation {
  let listeners: (() => void)[] = [];
  // No accessor: defining one takes longer than everything else here.
  const state = {
    aborted: false,
    addEventListener(_type: "abort", listener: () => void) {
      if (!state.aborted && !listeners.includes(listener)) listeners.push(listener);
    },
    removeEventListener(_type: "abort", listener: () => void) {
      const at = listeners.indexOf(listener);
      if (at !== -1) listeners.splice(at, 1);
    },
    cancel() {
      if (state.aborted) return;
      state.aborted = true;
      const called = listeners;
      listeners = [];
      for (const listener of called) listener();
    },
  };
  return state;
}

/** Returns an equivalent AbortSignal, for libraries that require one. */
export function abortSignalOf(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener("abort", () => controller.abort(), { once: true });
  return controller.signal;
}
