/** Imports from other gateways: the wizard of the first run, and the reports that are kept. */
import { z } from "zod";
import { ErrorValues } from "#envelope.ts";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/** Largest database file that the wizard accepts, in bytes. The command line has no limit. */
export const MAX_IMPORT_FILE = 4 * 1024 ** 3;

/** Longest config.yaml of LiteLLM that the wizard accepts, in characters. */
export const MAX_LITELLM_CONFIG = 1024 ** 2;

/** Largest starting balance of LiteLLM's accounts, in dollars. */
export const MAX_LITELLM_CREDIT = 1_000_000;

/** A gateway that can be imported. `only_postgres`: it has no database file. */
export const ImportProduct = z.object({ id: z.string(), title: z.string(), only_postgres: z.boolean() });
export type ImportProduct = z.infer<typeof ImportProduct>;

/** Body of POST /api/migration/run. */
export const ImportStart = z.object({
  product: z.string().min(1).max(16),
  /**
   * mysql:// or postgres:// with user and password. It is used for this run only: not stored, logged or sent
   * back. "" = a file follows with PUT /api/migration/run/:id/file.
   */
  address: z.string().trim().max(2_000).default(""),
  /** Earlier run whose file is read again, if this node still has it. */
  file_of: z.int().min(1).max(2_147_483_647).optional(),
  dry_run: z.boolean(),
  /** Days of the request log to import. */
  log_days: z.int().min(0).max(3_650).default(0),
  /** What the running program sends as its prices. */
  prices: z.json().optional(),
  /** For LiteLLM. It is used for this run only: not stored, logged or sent back. */
  litellm: z
    .object({
      /** Text of its config.yaml; "" = none. */
      config: z.string().max(MAX_LITELLM_CONFIG).default(""),
      /** LITELLM_SALT_KEY, or the master key; "" = nothing is encrypted. */
      salt_key: z.string().trim().max(500).default(""),
      /** Balance of each account without a fixed budget, in dollars. */
      credit: z.number().min(0).max(MAX_LITELLM_CREDIT).optional(),
    })
    .optional(),
});
export type ImportStart = z.input<typeof ImportStart>;

/** Query of PUT /api/migration/run/:id/file. */
export const ImportFileQuery = z.object({
  /** For the report. */
  name: z.string().trim().min(1, because("value_required")).max(200),
});

const Pair = z.object({ source: z.string(), here: z.string() });

/** One balance on both sides, in points as text. */
const ComparedBalance = z.object({ id: z.int(), name: z.string(), source: z.string(), here: z.string() });
export type ComparedBalance = z.infer<typeof ComparedBalance>;

const ImportNote = z.object({
  /** For scripts; does not change. */
  code: z.string(),
  /** `attention`: something works differently than before. */
  level: z.enum(["info", "attention"]),
  /** In English. */
  text: z.string(),
  /** Values of its template. Earlier versions kept the text only. */
  params: ErrorValues.default({}),
  /** Why, for templates with `reason`. */
  reason_facts: ReasonFacts.default([]),
  count: z.int(),
  examples: z.array(z.string()),
});
export type ImportNote = z.infer<typeof ImportNote>;

/** What an import reports. Further fields of another version are kept. */
export const ImportReport = z.looseObject({
  product: z.string(),
  origin: z.string(),
  dry_run: z.boolean(),
  started_at: z.string(),
  finished_at: z.string(),
  /** Rows by kind of thing. */
  counts: z.record(z.string(), z.object({ read: z.int(), imported: z.int(), skipped: z.int() })),
  totals: z.object({
    users_quota: Pair,
    users_used_quota: Pair,
    tokens_used_quota: Pair,
    live_users_quota: Pair,
  }),
  unknown: z.array(z.object({ table: z.string(), columns: z.array(z.string()) })),
  notes: z.array(ImportNote),
  proof: z.looseObject({
    balances_compared: z.int(),
    balances_different: z.int(),
    /** Accounts whose balance differs, then the largest ones. Earlier versions did not keep them. */
    balances: z.array(ComparedBalance).optional(),
    audit_drift: z.string(),
    keys_tried: z.int(),
    keys_failed: z.array(z.string()),
    charges_compared: z.int(),
    charges_different: z.array(z.string()),
    charges_not_comparable: z.int(),
  }),
  ok: z.boolean(),
});
export type ImportReport = z.infer<typeof ImportReport>;

export const ImportRun = z.object({
  id: z.int(),
  product: z.string(),
  /** File name, or host and database without a password. */
  origin: z.string(),
  dry_run: z.boolean(),
  /** `waiting`: for the file. `interrupted`: the node that ran it has stopped. */
  status: z.enum(["waiting", "running", "done", "failed", "cancelled", "interrupted"]),
  created_time: UnixTime,
  /** Rows written so far, by kind, in the order of the import. The last one is in progress. */
  progress: z.array(z.object({ kind: z.string(), rows: z.int() })),
  report: ImportReport.nullable(),
  failure: z.object({ code: z.string(), params: ErrorValues, message: z.string() }).nullable(),
});
export type ImportRun = z.infer<typeof ImportRun>;

/** An import in the list of GET /api/migration/report. */
export const ImportRow = z.object({
  id: z.int(),
  product: z.string(),
  title: z.string(),
  origin: z.string(),
  created_time: UnixTime,
  users: z.int(),
  /** Points as text. */
  balances: Pair,
  ok: z.boolean(),
});
export type ImportRow = z.infer<typeof ImportRow>;

export const ImportDetail = z.object({ id: z.int(), title: z.string(), report: ImportReport });
export type ImportDetail = z.infer<typeof ImportDetail>;
