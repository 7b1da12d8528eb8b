/**
 * What `gateway doctor` and the page Diagnostics check. A check returns facts, from which the console builds the
 * texts in the reader's language, and the command line builds the English ones.
 */
import { fillTemplate, phrasesIn, type Values, type WireParams } from "#errors/phrase.ts";

const phrase = phrasesIn("diagnostics");

/** Every check, with its group on the page. */
export const diagnosisChecks = {
  clock: "server",
  time_zone: "server",
  disk: "server",
  memory: "server",
  file_descriptors: "server",
  postgres: "database",
  replica: "database",
  redis: "database",
  backups: "database",
  log_export: "database",
  public_address: "network",
  sign_in_addresses: "network",
  payment_addresses: "network",
  telemetry: "network",
  prices: "providers",
  provider_keys: "providers",
  mail: "mail",
} as const;

export type DiagnosisCheck = keyof typeof diagnosisChecks;

/** In the order of the page. */
export const diagnosisGroups = ["server", "database", "network", "providers", "mail"] as const;

/** What a check may find, and how to correct it. Codes do not change: scripts read them. */
export const diagnosisTexts = {
  // any check
  check_failed: {
    text: phrase("The check failed: {{detail}}."),
    fix: phrase("Correct the cause and check again."),
  },
  check_timed_out: {
    text: phrase("The check did not finish within {{seconds}} s."),
    fix: phrase(
      "Check again. If it happens again, check whether the server or the services that it connects to are overloaded.",
    ),
  },
  // the server
  clock_correct: { text: phrase("The clocks of the server and the database agree.") },
  clock_apart: {
    text: phrase("The clocks of the server and the database are {{seconds}} s apart."),
    fix: phrase("Enable time synchronization (NTP) on both machines."),
  },
  time_zone: { text: phrase("Days, limits and statements follow the time zone {{zone}}.") },
  disk_free: { text: phrase("{{gigabytes}} GB are free in DATA_DIR.") },
  data_dir_unwritable: {
    text: phrase("DATA_DIR ({{folder}}) cannot be written: {{reason}}. Uploads above 1 MB are refused."),
    fix: phrase(
      "Give the account that runs the gateway write access to this folder, or set DATA_DIR to another one.",
    ),
  },
  disk_low: {
    text: phrase("Only {{gigabytes}} GB are free in DATA_DIR."),
    fix: phrase("Free up space, or keep logs for fewer days."),
  },
  memory_enough: { text: phrase("The machine has {{gigabytes}} GB of memory.") },
  memory_small: {
    text: phrase("The machine has only {{gigabytes}} GB of memory."),
    fix: phrase("Give it 1 GB or more."),
  },
  memory_budget_large: {
    text: phrase("MEMORY_BUDGET_MB of all workers together is more than 80% of the memory."),
    fix: phrase("Lower MEMORY_BUDGET_MB or WORKERS."),
  },
  files_enough: { text: phrase("A process may open {{limit}} files.") },
  files_unknown: { text: phrase("The limit of open files is not known on this system.") },
  files_few: {
    text: phrase("A process may open only {{limit}} files; each call needs two."),
    fix: phrase("Raise the limit with ulimit -n 65536, or LimitNOFILE in systemd."),
  },
  // the database
  postgres_version: {
    text: phrase('The database "{{database}}" runs on Postgres {{version}}. Running gateways: {{nodes}}.'),
  },
  postgres_old: {
    text: phrase("Postgres {{version}} is older than {{oldest}}."),
    fix: phrase("Upgrade Postgres."),
  },
  connections_free: { text: phrase("{{used}} of {{limit}} database connections are in use.") },
  connections_scarce: {
    text: phrase("{{used}} of {{limit}} database connections are in use: they may run out."),
    fix: phrase("Raise max_connections in postgresql.conf."),
  },
  postgres_durable: { text: phrase("Postgres keeps every committed charge after a crash.") },
  fsync_off: {
    text: phrase("fsync is off: a power cut can destroy the database."),
    fix: phrase("Set fsync = on in postgresql.conf."),
  },
  full_page_writes_off: {
    text: phrase("full_page_writes is off: a power cut can destroy pages of the database."),
    fix: phrase("Set full_page_writes = on in postgresql.conf."),
  },
  synchronous_commit_off: {
    text: phrase("synchronous_commit is off: a crash of Postgres can lose the last charges."),
    fix: phrase("Set synchronous_commit = on in postgresql.conf."),
  },
  autovacuum_off: {
    text: phrase("autovacuum is off: tables grow and become slow."),
    fix: phrase("Set autovacuum = on in postgresql.conf."),
  },
  encoding_wrong: {
    text: phrase("The database has the encoding {{encoding}}, which cannot store every character."),
    fix: phrase("Create a database with the encoding UTF8, and restore a backup into it."),
  },
  replica_unset: { text: phrase("DATABASE_REPLICA_URL is not set, so screens read the database itself.") },
  replica_used: {
    text: phrase("The replica {{address}} is {{seconds}} s behind the database, and screens read it."),
  },
  replica_lagging: {
    text: phrase(
      "The replica {{address}} is {{seconds}} s behind the database, and {{limit}} s are allowed, so screens read the database.",
    ),
    fix: phrase(
      "Check the load and the disk of the replica, and whether a long query delays it. Or raise DATABASE_REPLICA_LAG_SECONDS.",
    ),
  },
  replica_lag_unknown: {
    text: phrase("The replica {{address}} has not reported how far behind the database it is."),
    fix: phrase("Check that it receives changes: pg_stat_wal_receiver on the replica must have a row."),
  },
  replica_unreachable: {
    text: phrase("The replica {{address}} cannot be reached: {{detail}}. Screens read the database."),
    fix: phrase(
      "Check DATABASE_REPLICA_URL, its password and its TLS parameters, and that the replica is running with hot_standby = on.",
    ),
  },
  replica_not_standby: {
    text: phrase("The server at {{address}} is not a standby, so screens read the database."),
    fix: phrase("If the replica was promoted, create a new one. Otherwise correct DATABASE_REPLICA_URL."),
  },
  replica_other_database: {
    text: phrase(
      "The server at {{address}} has another database, so screens read the database of DATABASE_URL.",
    ),
    fix: phrase(
      "Let DATABASE_REPLICA_URL lead to a standby of the same server, with the same database name.",
    ),
  },
  replica_not_encrypted: {
    text: phrase("The connection to the database is encrypted, and that to the replica {{address}} is not."),
    fix: phrase(
      "Add the TLS parameters of DATABASE_URL, such as sslmode=verify-full, to DATABASE_REPLICA_URL.",
    ),
  },
  redis_unset: {
    text: phrase(
      "REDIS_URL is not set. A single node needs no Redis; several nodes need it for exact rate limits.",
    ),
  },
  redis_answers: { text: phrase("Redis responds.") },
  redis_silent: {
    text: phrase("Redis does not respond."),
    fix: phrase("Check REDIS_URL, and that Redis is running."),
  },
  backups_off: {
    text: phrase("Scheduled backups are off."),
    fix: phrase("Enable them in the settings, or back up the database in another way."),
  },
  backup_recent: { text: phrase("The last backup in {{place}} was begun at {{time}}.") },
  backup_old: {
    text: phrase("The last backup in {{place}} was begun at {{time}}, longer ago than the settings allow."),
    fix: phrase("Check that a gateway is running, and read the notices about the job write-backups."),
  },
  backup_missing: {
    text: phrase("There is no backup in {{place}}."),
    fix: phrase(
      "Wait an hour after you have enabled backups. Then read the notices about the job write-backups.",
    ),
  },
  backup_failed: {
    text: phrase("The last backup failed: {{detail}}."),
    fix: phrase("Correct the cause. The next attempt begins within an hour."),
  },
  log_export_unused: { text: phrase("The log export is off.") },
  log_export_recent: { text: phrase("The request log is exported to {{place}} without delay.") },
  log_export_missing: {
    text: phrase("Nothing of the request log was exported to {{place}} yet."),
    fix: phrase(
      "Wait five minutes after you have enabled the log export. Then read the notices about the job export-log.",
    ),
  },
  log_export_late: {
    text: phrase("The request log is exported to {{place}} only until {{time}}."),
    fix: phrase("Check that a gateway is running, and read the notices about the job export-log."),
  },
  log_export_failed: {
    text: phrase("The last log export failed: {{detail}}."),
    fix: phrase("Correct the cause. The export is repeated automatically."),
  },
  // the network
  address_unset: {
    text: phrase(
      "The server address is not set, so links in emails, payments and external sign-in do not work.",
    ),
    fix: phrase("Enter the server address in the settings."),
  },
  host_unknown: {
    text: phrase("The host name {{host}} of the server address cannot be resolved."),
    fix: phrase("Create a DNS record for it, or correct the server address in the settings."),
  },
  address_silent: {
    text: phrase("{{address}} does not respond: {{detail}}."),
    fix: phrase("Check the proxy in front of the gateway, which listens on port {{port}}."),
  },
  probes_limited: {
    text: phrase("The probes were refused: too many of them within a minute."),
    fix: phrase("Wait a minute and check again."),
  },
  address_other_answer: {
    text: phrase("{{address}}/api/probe returns status {{status}}, not the response of this gateway."),
    fix: phrase(
      "Make the proxy pass all paths to port {{port}}. The callbacks of sign-ins and payments use this address, too.",
    ),
  },
  address_elsewhere: {
    text: phrase("{{address}} leads to another installation, so sign-ins and payments return there."),
    fix: phrase("Correct the server address in the settings, or the DNS record."),
  },
  address_correct: {
    text: phrase("{{address}} leads to this gateway, so sign-ins and payments can return to it."),
  },
  address_not_encrypted: {
    text: phrase("The server address is not https: passwords and keys can be read on the way."),
    fix: phrase("Set up a certificate, and enter the https address in the settings."),
  },
  upgrades_pass: { text: phrase("WebSocket upgrades reach the gateway.") },
  upgrades_dropped: {
    text: phrase("The proxy does not pass WebSocket upgrades, so realtime sessions fail."),
    fix: phrase(
      "Pass the headers Upgrade and Connection on. nginx: proxy_http_version 1.1, proxy_set_header Upgrade $http_upgrade, proxy_set_header Connection $connection_upgrade.",
    ),
  },
  events_pass: { text: phrase("The proxy does not buffer event streams.") },
  events_broken: {
    text: phrase("The event stream of the probe broke off: {{detail}}."),
    fix: phrase("Check the timeouts of the proxy, and that it passes /api/probe/stream."),
  },
  events_buffered: {
    text: phrase(
      "The proxy buffers event streams: {{events}} events, sent over {{sent}} ms, arrived within {{took}} ms.",
    ),
    fix: phrase(
      "Turn buffering off. nginx: proxy_buffering off; and no gzip for text/event-stream. A CDN in front needs the same.",
    ),
  },
  certificate_valid: { text: phrase("The certificate is valid for another {{days}} days.") },
  certificate_expiring: {
    text: phrase("The certificate expires soon. Days left: {{days}}"),
    fix: phrase("Renew it, and check its automatic renewal."),
  },
  certificate_invalid: {
    text: phrase("The certificate is not valid: {{detail}}."),
    fix: phrase("Install a certificate with its whole chain that names this host."),
  },
  callbacks_unused: { text: phrase("No external sign-in provider is enabled.") },
  callback_address: {
    text: phrase("The callback address registered at {{provider}} must be {{address}}."),
  },
  callback_missing: {
    text: phrase(
      "Sign-in with {{provider}} is enabled, but has no callback address without the server address.",
    ),
    fix: phrase("Enter the server address in the settings."),
  },
  payments_unused: { text: phrase("No payment gateway is enabled.") },
  payment_address: { text: phrase('"{{payment}}" sends its notifications to {{address}}.') },
  payment_address_other: {
    text: phrase('"{{payment}}" sends its notifications to {{address}}, which is not the server address.'),
    fix: phrase(
      "Check that this address leads to the gateway, or remove the notification domain of the payment gateway.",
    ),
  },
  payment_address_missing: {
    text: phrase('"{{payment}}" has no address for its notifications, so paid orders are not credited.'),
    fix: phrase("Enter the server address in the settings."),
  },
  telemetry_unset: { text: phrase("OpenTelemetry is not configured.") },
  telemetry_accepted: { text: phrase("The OpenTelemetry collector accepts {{signal}} at {{address}}.") },
  telemetry_refused: {
    text: phrase("The OpenTelemetry collector does not accept {{signal}} at {{address}}: {{detail}}."),
    fix: phrase("Check that the collector is running, and correct the variables OTEL_EXPORTER_OTLP_…"),
  },
  // the providers
  prices_complete: { text: phrase("Every model of an enabled channel has a price.") },
  prices_missing: {
    text: phrase("Models without a price, whose calls are refused: {{models}} (total: {{total}})"),
    fix: phrase("Add prices for these models, or remove the models from their channels."),
  },
  keys_accepted: { text: phrase("No provider has rejected a key.") },
  keys_unreadable: {
    text: phrase("Keys that cannot be read from where they are stored: {{keys}} (total: {{total}})"),
    fix: phrase("Correct the source of each key, or the variables of the gateway that name it."),
  },
  keys_disabled: {
    text: phrase("Provider keys that were disabled automatically: {{total}}"),
    fix: phrase("Open the channel, read the reason, and enter a key that works."),
  },
  channels_disabled: {
    text: phrase("Channels that were disabled automatically: {{channels}} (total: {{total}})"),
    fix: phrase("Open the channel, read the reason, and enter a key that works."),
  },
  // mail
  mail_unset: {
    text: phrase("Email cannot be sent, so users cannot reset their password."),
    fix: phrase("Enter the mail server in the settings."),
  },
  mail_accepted: { text: phrase("The mail server {{server}} accepts the account.") },
  mail_refused: {
    text: phrase("Email cannot be sent: {{reason}}"),
    fix: phrase("Correct the mail server in the settings."),
  },
} as const satisfies Record<string, { text: string; fix?: string }>;

export type DiagnosisCode = keyof typeof diagnosisTexts;

type FixOf<Code extends DiagnosisCode> = (typeof diagnosisTexts)[Code] extends {
  fix: infer Fix extends string;
}
  ? Fix
  : "";

/** Values of both texts of a code. */
export type DiagnosisParams<Code extends DiagnosisCode> = Values<(typeof diagnosisTexts)[Code]["text"]> &
  Values<FixOf<Code>>;

/** Returns the English templates of a code; undefined for a code of another version. */
export function diagnosisTemplates(code: string): { text: string; fix?: string } | undefined {
  return Object.hasOwn(diagnosisTexts, code) ? diagnosisTexts[code as DiagnosisCode] : undefined;
}

export function diagnosisEnglish(code: DiagnosisCode, params: WireParams): { text: string; fix: string } {
  const templates: { text: string; fix?: string } = diagnosisTexts[code];
  return { text: fillTemplate(templates.text, params), fix: fillTemplate(templates.fix ?? "", params) };
}
