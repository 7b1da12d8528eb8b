import type { ChannelTestResult } from "@gateway/shared/channels/channel";
import type { ModelCheck } from "@gateway/shared/models/model-check";
import type { Diagnostics } from "#diagnostics/runner.ts";
import type { PersonCheck } from "#domain/accounts/sign-in/person-check.ts";
import type { ManualBackup } from "#domain/backups/manual-backup.ts";
import type { Icons } from "#domain/catalog/icons.ts";
import type { ChannelForTest } from "#domain/channels/channel-row.ts";
import type { Health } from "#domain/channels/health/health.ts";
import type { KeyReferences } from "#domain/channels/key-references/key-references.ts";
import type { FetchedBalance } from "#domain/channels/runs/check-channel.ts";
import type { ChannelRunner } from "#domain/channels/runs/runner.ts";
import type { RequestCounts } from "#domain/limits/request-counts.ts";
import type { LogExport } from "#domain/logs/export/log-export.ts";
import type { WholeReads } from "#domain/logs/whole-reads.ts";
import type { InvalidChanges } from "#domain/notices/invalid-changes.ts";
import type { PaymentDeps } from "#domain/payments/payment-deps.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import type { WebSearch } from "#domain/web-search/web-search.ts";
import type { Comparisons } from "#migration/compare/comparisons.ts";
import type { ImportRunner } from "#migration/runner.ts";
import type { PaymentGateways } from "#payments/index.ts";
import type { Pool } from "#platform/database/db.ts";
import type { ReadDatabase } from "#platform/database/replica/replica.ts";
import type { postToPublic } from "#platform/http/public-fetch.ts";
import type { LogLine } from "#platform/log/log.ts";
import type { Mailer } from "#platform/mail.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { Readiness } from "#platform/readiness.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import type { IdentityProviders } from "#sign-in/index.ts";

/** What the console's routes need from the process. Created in main.ts; tests use the real ones too. */
export interface Services {
  db: PrismaClient;
  pool: Pool;
  /** For screens that only read, and may show data that is some seconds old. */
  reads: ReadDatabase;
  /** Pages and sums of the log without a limit of rows. */
  wholeLogs: WholeReads;
  /** Exports the request log on this node. */
  logExport: Pick<LogExport, "start" | "status">;
  /** Changes of directories that were refused on this node. */
  invalidChanges: Pick<InvalidChanges, "note">;
  /** Writes a backup on this node. */
  manualBackup: Pick<ManualBackup, "start">;
  secrets: Secrets;
  /** Keys of channels that are stored elsewhere. */
  keyReferences: KeyReferences;
  /** DATA_DIR, where backups in a folder are. */
  dataDir: string;
  settings: SettingsStore;
  health: Pick<Health, "freezes" | "forgive">;
  providers: Providers;
  identityProviders: IdentityProviders;
  paymentGateways: PaymentGateways;
  /**
   * `fetch` for payment gateways. Administrators configure their addresses, so it reaches public addresses
   * only.
   */
  paymentFetch: typeof globalThis.fetch;
  mailer: Mailer;
  /** Throws `person_unproven` when the operator requires the visitor check and it fails. */
  checkPerson: PersonCheck;
  icons: Icons;
  webSearch: WebSearch;
  /** Sends notices to addresses that an operator configured. */
  post: typeof postToPublic;
  /** Sends one call to a channel, stored or not. A refusal is a result (`ok: false`), not an exception. */
  testChannel(input: { channel: ChannelForTest; model: string }): Promise<ChannelTestResult>;
  /**
   * Returns the balance of the provider's account; undefined when this provider does not report it. Throws a
   * GatewayError.
   */
  fetchBalance(channel: ChannelForTest): Promise<FetchedBalance | undefined>;
  /** Checks step by step whether a model is what its channel claims. */
  checkModel(input: { channel: ChannelForTest; model: string }): Promise<ModelCheck>;
  /** Runs tests and balances of many channels on this node. */
  runner: ChannelRunner;
  /** Checks what usually goes wrong around a gateway. */
  diagnostics: Diagnostics;
  /** Imports other gateways on this node. */
  imports: ImportRunner;
  /** Compares charges with an old gateway on this node. */
  comparisons: Comparisons;
  /**
   * Returns the model names that the provider lists. Throws a GatewayError whose message says what went
   * wrong.
   */
  fetchModels(channel: ChannelForTest): Promise<string[]>;
  /**
   * Resolves when this node (with several workers: all of them) has applied everything announced before the
   * call.
   */
  caughtUp(): Promise<void>;
  /** Returns the latest lines of this node's log, oldest first; at most 500. */
  recentLog(count: number): Promise<LogLine[]>;
  /** Whether this node should get traffic. */
  readiness: Pick<Readiness, "check">;
  /** Number of requests of an address or an account, counted over all nodes. */
  requestCounts: RequestCounts;
  /** Requests of one address within three minutes. Sessions and accounts have a multiple of it. */
  apiRateLimit: number;
  /** Reports an error whose cause is not in the response. */
  onError(error: unknown): void;
  startedAt: Date;
  version: string;
  /** The simulated provider: running as a channel type, or offered to an administrator who may enable it. */
  demo: { isRunning(): boolean; isOffered(): boolean };
}

/** Returns the services that payments need. */
export function paymentDeps({
  db,
  secrets,
  settings,
  paymentGateways: gateways,
  paymentFetch: fetch,
}: Services): PaymentDeps {
  return { db, secrets, gateways, settings: () => settings.current(), fetch };
}
