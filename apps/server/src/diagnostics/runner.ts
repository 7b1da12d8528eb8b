import type { Diagnosis } from "@gateway/shared/site/diagnosis";
import { examine, type ExamineOptions } from "./examine.ts";
import type { Subject } from "./finding.ts";

export interface Diagnostics {
  /** Runs the checks, or joins the current run. Within a few seconds of a run it returns that one's result. */
  run(): Promise<Diagnosis>;
}

const pauseMs = 5_000;

/** @param settings.pauseMs how long a result is returned again */
export function createDiagnostics(
  subject: Subject,
  options: ExamineOptions & { pauseMs?: number } = {},
): Diagnostics {
  let current: Promise<Diagnosis> | undefined;
  let endedAt = Number.NEGATIVE_INFINITY;
  return {
    run() {
      const isFresh = performance.now() - endedAt < (options.pauseMs ?? pauseMs);
      if (current !== undefined && (endedAt === Number.NEGATIVE_INFINITY || isFresh)) return current;
      endedAt = Number.NEGATIVE_INFINITY;
      current = examine(subject, options).finally(() => {
        endedAt = performance.now();
      });
      return current;
    },
  };
}
