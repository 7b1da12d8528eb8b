/**
 * What of an AbortSignal the way of a call uses. Every call has several and nearly none of them ends: one of these costs
 * an object, where a controller costs a signal, an event and their listeners.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface Cancellation extends CancelSignal {
  /** Calls each listener once; those that are added later are not called. */
  cancel(): void;
}

export function createCancellation(): Cancellation {
  let listeners: (() => void)[] = [];
  // No accessor: to make one takes longer than everything else here.
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

/** The same as an AbortSignal, for libraries that demand one. */
export function abortSignalOf(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener("abort", () => controller.abort(), { once: true });
  return controller.signal;
}
