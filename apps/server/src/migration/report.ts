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
  proof: Proof;
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
  code: string;
  /** `attention`: something works differently than before. */
  level: "info" | "attention";
  text: string;
  count: number;
  examples: string[];
}

export interface Proof {
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

export interface ReportBook {
  read(kind: string): void;
  imported(kind: string, count: number): void;
  /** Counts a row that is left out; the note says why. */
  skip(kind: string, code: string, text: string, example?: string): void;
  note(code: string, text: string, example?: string): void;
  /** Something works differently than before. */
  attention(code: string, text: string, example?: string): void;
  counts(): ImportReport["counts"];
  notes(): Note[];
}

export function createReportBook(): ReportBook {
  const counts: ImportReport["counts"] = {};
  const notes = new Map<string, Note>();
  const of = (kind: string) => (counts[kind] ??= { read: 0, imported: 0, skipped: 0 });
  const add = (level: Note["level"], code: string, text: string, example?: string) => {
    const note = notes.get(code) ?? { code, level, text, count: 0, examples: [] };
    note.count += 1;
    if (example !== undefined && note.examples.length < mostExamples) note.examples.push(example);
    notes.set(code, note);
  };
  return {
    read: (kind) => void (of(kind).read += 1),
    imported: (kind, count) => void (of(kind).imported += count),
    skip(kind, code, text, example) {
      of(kind).skipped += 1;
      add("info", code, text, example);
    },
    note: (code, text, example) => add("info", code, text, example),
    attention: (code, text, example) => add("attention", code, text, example),
    counts: () => counts,
    notes: () => [...notes.values()],
  };
}
