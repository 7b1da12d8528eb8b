import { setTimeout as sleep } from "node:timers/promises";
import { pollTasks } from "#relay/tasks/poll-tasks.ts";
import { tellAgain } from "#relay/tasks/tell-clients.ts";
import type { Job } from "./job.ts";

const ROUNDS = 6;
const PAUSE_MS = 9_000;

/** Polls providers for tasks and notifies clients of ended ones, several times a minute. */
export const watchTasks: Job = {
  name: "watch-tasks",
  every: "* * * * *",
  atStart: true,
  async run({ tasks, stopping }) {
    for (let round = 1; round <= ROUNDS; round += 1) {
      await pollTasks(tasks);
      await tellAgain(tasks);
      if (round === ROUNDS || stopping.aborted) return;
      await sleep(PAUSE_MS, undefined, { signal: stopping }).catch(() => {});
    }
  },
};
