import { type ChannelTestResult, cannotProbe } from "@gateway/shared/channels/channel";

/**
 * Tests that confirm failures before they affect other accounts. Their rate is limited: callers control what
 * they send, so they must not control how often a provider is paid for a test.
 */
export interface Confirm {
  /**
   * Starts a test unless one for the same subject is running or ran a short while ago.
   * @param subject what is tested: a key, a model or a channel
   */
  start(subject: string, test: () => Promise<ChannelTestResult>, then: (verdict: Verdict) => void): void;
}

/** `untested` means that no cheap test request exists. */
export type Verdict = { kind: "passed" | "untested" } | { kind: "failed"; fault: string; message: string };

/** Minimum pause after a passed test of a subject. */
const PAUSE_MS = 60_000;
const FAILED_PAUSE_MS = 5_000;
const MOST_AT_ONCE = 4;
const MOST_KEPT = 2_000;

export function createConfirm(now: () => number, onError: (error: unknown) => void): Confirm {
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
