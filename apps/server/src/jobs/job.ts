import type { ChannelRunner } from "#domain/channels/runner.ts";
import type { Telling } from "#domain/notices/deliver.ts";
import type { PaymentDeps } from "#domain/payments/payment-deps.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { ProbeServices } from "#relay/probe/probe.ts";
import type { TaskWatch } from "#relay/tasks/poll-tasks.ts";

/** What the clock works with. */
export interface JobServices {
  db: PrismaClient;
  pool: Pool;
  secrets: Secrets;
  probe: ProbeServices;
  runner: ChannelRunner;
  telling: Telling;
  payments: PaymentDeps;
  tasks: TaskWatch;
  /** Aborts when the process ends: a job that waits ends with it. */
  stopping: AbortSignal;
  onError(error: unknown): void;
}

export interface Job {
  name: string;
  /** Cron, in UTC. */
  every: string;
  /** Once more when a node starts: what waited while none was there waits no longer. */
  atStart?: boolean;
  run(services: JobServices): Promise<void>;
}
