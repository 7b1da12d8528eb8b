import type { BackupSource } from "#domain/backups/scheduled-backup.ts";
import type { KeyReferences } from "#domain/channels/key-references/key-references.ts";
import type { ChannelRunner } from "#domain/channels/runs/runner.ts";
import type { LogExport } from "#domain/logs/export/log-export.ts";
import type { Telling } from "#domain/notices/deliver.ts";
import type { PaymentDeps } from "#domain/payments/payment-deps.ts";
import type { Activity } from "#platform/activity.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { ProbeServices } from "#relay/probe/probe.ts";
import type { TaskWatch } from "#relay/tasks/poll-tasks.ts";
import type { ScheduledJob } from "./scheduler.ts";

/** Dependencies of jobs. */
export interface JobServices {
  db: PrismaClient;
  pool: Pool;
  secrets: Secrets;
  backups: BackupSource;
  keyReferences: KeyReferences;
  logExport: Pick<LogExport, "exportIfDue">;
  probe: ProbeServices;
  runner: ChannelRunner;
  telling: Telling;
  payments: PaymentDeps;
  tasks: TaskWatch;
  activity: Activity;
  /** Aborts at shutdown, so that waiting jobs end. */
  stopping: AbortSignal;
  onError(error: unknown): void;
}

export interface Job extends ScheduledJob {
  run(services: JobServices): Promise<void>;
}
