import type { ChannelTestResult } from "@gateway/shared/channels/channel";
import type { ModelCheck } from "@gateway/shared/channels/model-check";
import type { PersonCheck } from "#domain/accounts/person-check.ts";
import type { Icons } from "#domain/catalog/icons.ts";
import type { ChannelForTest } from "#domain/channels/channel-row.ts";
import type { Health } from "#domain/channels/health.ts";
import type { FetchedBalance } from "#domain/channels/judge.ts";
import type { ChannelRunner } from "#domain/channels/runner.ts";
import type { RequestCounts } from "#domain/limits/request-counts.ts";
import type { PaymentDeps } from "#domain/payments/payment-deps.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import type { PaymentGateways } from "#payments/index.ts";
import type { Pool } from "#platform/database/db.ts";
import type { LogLine } from "#platform/log.ts";
import type { Mailer } from "#platform/mail.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { postToPublic } from "#platform/public-fetch.ts";
import type { Readiness } from "#platform/readiness.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import type { IdentityProviders } from "#sign-in/index.ts";

/** What the console's routes need of the process; made in main.ts, real in tests too. */
export interface Services {
  db: PrismaClient;
  pool: Pool;
  secrets: Secrets;
  settings: SettingsStore;
  health: Pick<Health, "freezes" | "forgive">;
  providers: Providers;
  identityProviders: IdentityProviders;
  paymentGateways: PaymentGateways;
  /** How they are asked: administrators name their addresses, so it reaches public ones only. */
  paymentFetch: typeof globalThis.fetch;
  mailer: Mailer;
  /** Throws `person_unproven` while the operator wants visitors checked. */
  checkPerson: PersonCheck;
  icons: Icons;
  /** How notices leave. */
  post: typeof postToPublic;
  /** One call to a channel, stored or not; a refusal is an answer (`ok: false`), not an exception. */
  testChannel(input: { channel: ChannelForTest; model: string }): Promise<ChannelTestResult>;
  /** What is left on the provider's account; undefined when this provider does not tell. Throws a GatewayError. */
  fetchBalance(channel: ChannelForTest): Promise<FetchedBalance | undefined>;
  /** Whether a model is what its channel says, step by step. */
  checkModel(input: { channel: ChannelForTest; model: string }): Promise<ModelCheck>;
  /** Tests and balances of many channels, done by this node. */
  runner: ChannelRunner;
  /** The model names the provider lists. Throws a GatewayError whose sentence says what went wrong. */
  fetchModels(channel: ChannelForTest): Promise<string[]>;
  /** Ends when this node (with several workers: all of them) has taken in what was changed and announced before. */
  caughtUp(): Promise<void>;
  /** The latest lines of this node's log, oldest first; at most 500. */
  recentLog(count: number): LogLine[] | Promise<LogLine[]>;
  /** Whether this node should get traffic. */
  readiness: Pick<Readiness, "check">;
  /** How often an address or an account has sent requests; all nodes count together. */
  requestCounts: RequestCounts;
  /** Requests of one address within three minutes; sessions and accounts have a multiple. */
  apiRateLimit: number;
  startedAt: Date;
  version: string;
  /** The simulated provider: available as a channel type, or waiting for an administrator to enable it. */
  demo: { isRunning(): boolean; isOffered(): boolean };
}

/** What taking money needs of them. */
export function paymentDeps({
  db,
  secrets,
  settings,
  paymentGateways: gateways,
  paymentFetch: fetch,
}: Services): PaymentDeps {
  return { db, secrets, gateways, settings: () => settings.current(), fetch };
}
