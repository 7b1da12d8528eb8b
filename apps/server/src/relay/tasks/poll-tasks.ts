import { parseJson } from "#dialects/json/parse-json.ts";
import type { KeyReferences } from "#domain/channels/key-references/key-references.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { storedChannel } from "#domain/channels/selection/load-channels.ts";
import { advance, claimTasks, giveUp } from "#domain/tasks/tasks.ts";
import { now } from "#platform/clock.ts";
import type { Task } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import type { TaskQuestion, TaskStanding, TaskWire } from "#providers/wires/task.ts";
import { taskWireOf } from "#providers/wires/tasks.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { attempt, type Target } from "#relay/core/upstream/ask.ts";
import { forClients } from "#relay/core/upstream/scrub.ts";
import { decodeTaskError } from "./tasks.ts";
import { tellClient, type Teller } from "./tell-clients.ts";

/**
 * Polls providers for the state of their tasks: through the channel and key that created each one, in as few
 * requests as possible.
 */
export interface TaskWatch extends Teller, Pick<RelayServices, "upstream"> {
  secrets: Secrets;
  providers: Providers;
  keyReferences: KeyReferences;
  onError(error: unknown): void;
}

/** Seconds between two polls of a task. */
const PACE_SECONDS = 8;
const MOST_AT_ONCE = 200;
const MOST_IN_A_QUESTION = 50;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Runs one round. Returns the number of polled tasks. @param paceSeconds for tests, which do not wait */
export async function pollTasks(watch: TaskWatch, paceSeconds = PACE_SECONDS): Promise<number> {
  const tasks = await claimTasks(watch.db, paceSeconds, MOST_AT_ONCE);
  const accounts = Map.groupBy(tasks, (task) => `${task.channel_id} ${task.key_id} ${task.platform}`);
  // Providers are polled in parallel: a silent one costs only its own timeout.
  await Promise.all(
    [...accounts.values()].map((group) =>
      pollAccount(watch, group).catch((error: unknown) => watch.onError(error)),
    ),
  );
  return tasks.length;
}

async function pollAccount(watch: TaskWatch, tasks: readonly Task[]): Promise<void> {
  const [first] = tasks;
  if (first === undefined) return;
  const wire = taskWireOf(first.platform);
  // A disabled channel must still serve its tasks.
  const channel = await storedChannel(watch, first.channel_id);
  if (wire === undefined || channel === "deleted") {
    for (const task of tasks)
      await runIsolated(watch, async () =>
        tellOf(watch, await giveUp(watch.db, task, "The channel that made this task is gone.")),
      );
    return;
  }
  const reported = channel === undefined ? new Map() : await askAll(watch, wire, channel, tasks);
  for (const task of tasks) {
    // One that fails must not keep the others, which are charged, from ending.
    const standing: TaskStanding | undefined = reported.get(task.task_id);
    if (standing !== undefined)
      await runIsolated(watch, async () => tellOf(watch, await advance(watch.db, task.id, standing)));
    const late = task.deadline !== null && task.deadline.getTime() < now();
    if (late && standing?.status !== "SUCCESS")
      await runIsolated(watch, async () =>
        tellOf(watch, await giveUp(watch.db, task, "The task took longer than it may.")),
      );
  }
}

/** Reports an error of one step and continues with the next. */
async function runIsolated(watch: TaskWatch, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    watch.onError(error);
  }
}

async function askAll(
  watch: TaskWatch,
  wire: TaskWire,
  channel: ActiveChannel,
  tasks: readonly Task[],
): Promise<Map<string, TaskStanding>> {
  const reported = new Map<string, TaskStanding>();
  const key = channel.keys.find(({ id }) => id === tasks[0]?.key_id);
  if (key === undefined && channel.provider.keyless !== true) return reported;
  for (let from = 0; from < tasks.length; from += MOST_IN_A_QUESTION) {
    for (const question of wire.questions(tasks.slice(from, from + MOST_IN_A_QUESTION)))
      await runIsolated(watch, async () => {
        const answer = await ask(watch, { channel, key, upstreamModel: "" }, question);
        for (const standing of wire.standings(answer)) {
          const failReason = forClients(standing.failReason, { channel, key });
          reported.set(standing.taskId, { ...standing, failReason });
        }
      });
  }
  return reported;
}

/** Returns the response; undefined when there is none that can be read. The next round asks again. */
async function ask(watch: TaskWatch, target: Target, { method, path, body }: TaskQuestion): Promise<unknown> {
  const requested = await attempt(
    watch,
    target,
    {
      encode: () => ({
        request: {
          method,
          path,
          ownPath: true,
          headers: {
            accept: "application/json",
            ...(body === null ? {} : { "content-type": "application/json" }),
          },
          body: body === null ? null : JSON.stringify(body),
          timeoutMs: TIMEOUT_MS,
        },
        decodeError: decodeTaskError,
      }),
      read: async (response) => ({ text: await response.text(MAX_ANSWER_BYTES) }),
    },
    { signal: AbortSignal.timeout(TIMEOUT_MS) },
  );
  return "error" in requested ? undefined : parseJson(requested.text);
}

async function tellOf(watch: TaskWatch, ended: Task | undefined): Promise<void> {
  if (ended !== undefined) await tellClient(watch, ended);
}
