import type { Diagnosis, DiagnosisFinding } from "@gateway/shared/site/diagnosis";
import { type DiagnosisCheck, diagnosisChecks, diagnosisEnglish } from "@gateway/shared/site/diagnosis-texts";
import { backups } from "./backups.ts";
import { paymentAddresses, signInAddresses } from "./callback-addresses.ts";
import { postgres, redis } from "./database.ts";
import { logExport, telemetry } from "./exports.ts";
import { type Check, detailOf, type CheckResult, problem, type Subject, warning } from "./finding.ts";
import { clock, descriptors, disk, memory, timeZone } from "./machine.ts";
import { publicAddress } from "./public-address.ts";
import { replica } from "./replica.ts";
import { mail, prices, providerKeys } from "./surroundings.ts";

/** Looks at what usually goes wrong around a gateway. */
const checks: Record<DiagnosisCheck, Check> = {
  clock,
  time_zone: timeZone,
  disk,
  memory,
  file_descriptors: descriptors,
  postgres,
  replica,
  redis,
  backups,
  log_export: logExport,
  public_address: publicAddress,
  sign_in_addresses: signInAddresses,
  payment_addresses: paymentAddresses,
  telemetry,
  prices,
  provider_keys: providerKeys,
  mail,
};

/** Of each check. They run at the same time, so no run takes longer. */
const patienceMs = 25_000;

export interface ExamineOptions {
  /** Of each check, in milliseconds. */
  timeoutMs?: number;
  /** For tests. */
  among?: Partial<Record<DiagnosisCheck, Check>>;
}

/** Runs all checks. One that throws or takes too long is a finding, too. */
export async function examine(
  subject: Subject,
  { timeoutMs = patienceMs, among = checks }: ExamineOptions = {},
): Promise<Diagnosis> {
  const began = Date.now();
  const found = await Promise.all(
    Object.entries(among).map(async ([name, check]) =>
      (await within(timeoutMs, check, subject)).map((each) => describeFinding(name as DiagnosisCheck, each)),
    ),
  );
  return {
    started_at: Math.floor(began / 1_000),
    took_ms: Date.now() - began,
    findings: found.flat(),
  };
}

async function within(timeoutMs: number, check: Check, subject: Subject): Promise<CheckResult[]> {
  const { promise: late, resolve } = Promise.withResolvers<CheckResult[]>();
  const timer = setTimeout(
    () => resolve(warning("check_timed_out", { seconds: timeoutMs / 1_000 })),
    timeoutMs,
  );
  const result = check(subject).catch((error: unknown) =>
    problem("check_failed", { detail: detailOf(error) }),
  );
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

function describeFinding(
  check: DiagnosisCheck,
  { state, code, params, cause }: CheckResult,
): DiagnosisFinding {
  return {
    check,
    group: diagnosisChecks[check],
    state,
    code,
    params: { ...params },
    cause: cause === undefined ? null : { code: cause.code, params: { ...cause.params } },
    ...diagnosisEnglish(code, cause === undefined ? params : { ...params, reason: cause.message }),
  };
}
