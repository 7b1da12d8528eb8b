import { z } from "zod";
import { ErrorValues } from "#envelope.ts";
import { UnixTime } from "#paging.ts";
import { diagnosisGroups } from "./diagnosis-texts.ts";

export const DiagnosisState = z.enum(["ok", "warning", "problem"]);
export type DiagnosisState = z.infer<typeof DiagnosisState>;

export const DiagnosisFinding = z.object({
  check: z.string(),
  group: z.enum(diagnosisGroups),
  state: DiagnosisState,
  code: z.string(),
  params: ErrorValues,
  /** The error whose message fills `reason` in the text. */
  cause: z.object({ code: z.string(), params: ErrorValues }).nullable(),
  /** In English, for scripts and for codes of another version. */
  text: z.string(),
  /** What to do, in English; "" when nothing. */
  fix: z.string(),
});
export type DiagnosisFinding = z.infer<typeof DiagnosisFinding>;

export const Diagnosis = z.object({
  started_at: UnixTime,
  took_ms: z.int(),
  findings: z.array(DiagnosisFinding),
});
export type Diagnosis = z.infer<typeof Diagnosis>;
