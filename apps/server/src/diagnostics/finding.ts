import type { DiagnosisFinding } from "@gateway/shared/site/diagnosis";
import type { DiagnosisCode, DiagnosisParams } from "@gateway/shared/site/diagnosis-texts";
import type { Settings } from "@gateway/shared/site/settings";
import type { Env } from "#env.ts";
import type { GatewayError } from "#errors.ts";
import type { Database } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";

/** The installation that the checks look at. They change nothing. */
export interface Subject {
  env: Pick<
    Env,
    | "PORT"
    | "DATA_DIR"
    | "REDIS_URL"
    | "redisSentinels"
    | "replica"
    | "MEMORY_BUDGET_MB"
    | "workers"
    | "basePath"
    | "keySources"
    | "telemetry"
  >;
  database: Pick<Database, "db" | "pool">;
  /** Throws with the next step when the key of the installation is not known. */
  secrets(): Promise<Secrets>;
  settings(): Promise<Settings>;
}

/** What a check found: facts, which `diagnosisTexts` puts into words. */
export interface CheckResult {
  state: DiagnosisFinding["state"];
  code: DiagnosisCode;
  params: Readonly<Record<string, string | number>>;
  /** Its message is the value `reason` of the text. */
  cause?: GatewayError;
}

export type Check = (subject: Subject) => Promise<CheckResult[]>;

/** No argument when the texts have no values. */
type Arguments<Code extends DiagnosisCode> = [keyof DiagnosisParams<Code>] extends [never]
  ? []
  : [params: DiagnosisParams<Code>];

const finding =
  (state: CheckResult["state"]) =>
  <Code extends DiagnosisCode>(code: Code, ...[params]: Arguments<Code>): CheckResult[] => [
    { state, code, params: { ...params } },
  ];

export const ok = finding("ok");
export const warning = finding("warning");
export const problem = finding("problem");

/** Returns a moment as a text for every language: "2026-11-28 22:07 UTC". */
export function timeText(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Returns the message of a failure without a full stop, for the middle of a sentence, and without passwords. */
export function detailOf(error: unknown): string {
  return messageOf(error)
    .replace(/\/\/[^/\s@]*@/g, "//")
    .replace(/\.$/, "")
    .slice(0, 300);
}

/** Node's error for a name with several addresses has a code and no message. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === "" && "code" in error ? String(error.code) : error.message;
}
