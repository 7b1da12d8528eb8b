import { sessionSpendOf } from "@gateway/shared/accounts/budget";
import type { Db } from "#platform/database/db.ts";

/** A user group as calls need it. */
export interface ActiveGroup {
  symbol: string;
  /** Exact decimal string. */
  ratio: string;
  public: boolean;
  enable: boolean;
  /** Requests per minute. */
  apiRate: number;
  /** Points that a session of a member may spend; 0 means no limit. */
  sessionSpend: number;
  /** Whether calls of the group get marks for prompt caches. */
  cacheMarks: boolean;
  /** Whether keys of the group can have quotes. */
  quotes: boolean;
}

export interface ActiveGroups {
  get(symbol: string): ActiveGroup | undefined;
  reload(): Promise<void>;
}

/** Loads all user groups into memory. There are few, and every call needs one. */
export async function createGroups(db: Db): Promise<ActiveGroups> {
  let groups = new Map<string, ActiveGroup>();
  async function reload(): Promise<void> {
    const rows = await db.userGroup.findMany();
    groups = new Map(
      rows.map((row) => [
        row.symbol,
        {
          symbol: row.symbol,
          ratio: row.ratio.toString(),
          public: row.public,
          enable: row.enable,
          apiRate: row.api_rate,
          sessionSpend: sessionSpendOf(row.budget),
          cacheMarks: row.cache_marks,
          quotes: row.quotes,
        },
      ]),
    );
  }
  await reload();
  return { get: (symbol) => groups.get(symbol), reload };
}
