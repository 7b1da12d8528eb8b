import type { Reason, ReasonFact } from "@gateway/shared/reasons";
import { type ImportNoteCode, noteEnglish, type NoteValues } from "@gateway/shared/site/import-notes";

/** What an import reports: read by people, by scripts (`--json`) and kept in the table `imports`. */
export interface ImportReport {
  format: 1;
  product: string;
  origin: string;
  dry_run: boolean;
  started_at: string;
  finished_at: string;
  /** Rows by kind of thing. */
  counts: Record<string, { read: number; imported: number; skipped: number }>;
  totals: {
    users_quota: Pair;
    users_used_quota: Pair;
    tokens_used_quota: Pair;
    /** Sum of the balances of accounts that are not deleted. */
    live_users_quota: Pair;
  };
  /** Tables and columns that this version does not know. */
  unknown: { table: string; columns: string[] }[];
  /** What was changed, left out, or needs an operator's attention. */
  notes: Note[];
  proof: ImportProof;
  ok: boolean;
}

/** One balance on both sides, in points as text. */
export interface ComparedBalance extends Pair {
  id: number;
  name: string;
}

/** Points as text: JSON numbers would lose digits. */
export interface Pair {
  source: string;
  here: string;
}

export interface Note {
  /** For scripts; does not change. */
  code: ImportNoteCode;
  /** Values of its template. */
  params: Record<string, string>;
  /** Why, for notes whose template has `reason`. */
  reason_facts: ReasonFact[];
  /** `attention`: something works differently than before. */
  level: "info" | "attention";
  /** In English. */
  text: string;
  count: number;
  examples: string[];
}

export interface ImportProof {
  balances_compared: number;
  balances_different: number;
  /** Accounts whose balance differs, then the largest ones. */
  balances: ComparedBalance[];
  audit_drift: string;
  keys_tried: number;
  keys_failed: string[];
  charges_compared: number;
  charges_different: string[];
  /** Charges of models whose price was changed, or never set, in the old gateway. */
  charges_not_comparable: number;
}

const mostExamples = 20;

/** Codes whose template has no values. */
type PlainCode = {
  [Code in ImportNoteCode]: keyof NoteValues<Code> extends never ? Code : never;
}[ImportNoteCode];
type NoteArguments<Code extends ImportNoteCode> = Code extends PlainCode
  ? [example?: string]
  : [example: string, values: NoteValues<Code>];

export interface ReportBook {
  read(kind: string): void;
  imported(kind: string, count: number): void;
  /** Counts a row that is left out; the note says why. */
  skip(kind: string, code: PlainCode, example?: string): void;
  note(code: PlainCode, example?: string): void;
  /** Something works differently than before. */
  attention<Code extends ImportNoteCode>(code: Code, ...given: NoteArguments<Code>): void;
  counts(): ImportReport["counts"];
  notes(): Note[];
}

export function createReportBook(): ReportBook {
  const counts: ImportReport["counts"] = {};
  const notes = new Map<string, Note>();
  const of = (kind: string) => (counts[kind] ??= { read: 0, imported: 0, skipped: 0 });
  const add = (
    level: Note["level"],
    code: ImportNoteCode,
    example?: string,
    values: Readonly<Record<string, string | Reason>> = {},
  ) => {
    const params: Note["params"] = {};
    let reason: Reason | undefined;
    for (const [name, value] of Object.entries(values))
      if (typeof value === "string") params[name] = value;
      else reason = value;
    const key = JSON.stringify([code, params, reason?.facts]);
    const note = notes.get(key) ?? {
      code,
      params,
      reason_facts: reason?.facts ?? [],
      level,
      text: noteEnglish(code, { ...params, ...(reason === undefined ? {} : { reason: reason.text }) }),
      count: 0,
      examples: [],
    };
    note.count += 1;
    if (example !== undefined && note.examples.length < mostExamples) note.examples.push(example);
    notes.set(key, note);
  };
  return {
    read: (kind) => void (of(kind).read += 1),
    imported: (kind, count) => void (of(kind).imported += count),
    skip(kind, code, example) {
      of(kind).skipped += 1;
      add("info", code, example);
    },
    note: (code, example) => add("info", code, example),
    attention: (code, ...[example, values]) => add("attention", code, example, values),
    counts: () => counts,
    notes: () => [...notes.values()],
  };
}
