import { type ChannelTestResult, cannotProbe } from "@gateway/shared/channels/channel";

/**
 * Tests by which failures of calls are confirmed before they count for other accounts. Bounded: callers decide what
 * they send, so they must not decide how often a provider is paid for a test.
 */
export interface Confirm {
  /**
   * Starts a test unless one for the same subject is under way or was passed a short while ago.
   * @param subject what is tested: a key, a model, a channel
   */
  start(subject: string, test: () => Promise<ChannelTestResult>, then: (verdict: Verdict) => void): void;
}

/** `untested`: nothing short could be asked. */
export type Verdict = { kind: "passed" | "untested" } | { kind: "failed"; fault: string; message: string };

/** After a passed test, so long the next one for the same subject has to wait. */
const PAUSE_MS = 60_000;
const FAILED_PAUSE_MS = 5_000;
const MOST_AT_ONCE = 4;
const MOST_KEPT = 2_000;

export function createConfirm(now: () => number, onError: (error: unknown) => void): Confirm {
  /** Milliseconds since 1970 until which no test starts; infinite while one is under way. */
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
