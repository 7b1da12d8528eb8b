import type { ChannelRunner } from "#domain/channels/runs/runner.ts";
import type { Telling } from "#domain/notices/deliver.ts";
import type { PaymentDeps } from "#domain/payments/payment-deps.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { ProbeServices } from "#relay/probe/probe.ts";
import type { TaskWatch } from "#relay/tasks/poll-tasks.ts";

/** Dependencies of jobs. */
export interface JobServices {
  db: PrismaClient;
  pool: Pool;
  secrets: Secrets;
  probe: ProbeServices;
  runner: ChannelRunner;
  telling: Telling;
  payments: PaymentDeps;
  tasks: TaskWatch;
  /** Aborts at shutdown, so that waiting jobs end. */
  stopping: AbortSignal;
  onError(error: unknown): void;
}

export interface Job {
  name: string;
  /** Cron expression, in UTC. */
  every: string;
  /** Also run the job when a node starts, for work that accumulated while no node was running. */
  atStart?: boolean;
  run(services: JobServices): Promise<void>;
}
