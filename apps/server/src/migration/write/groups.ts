import type { GroupRecord } from "#migration/records.ts";
import type { ReportBook } from "#migration/report.ts";
import { truncateText } from "#migration/row.ts";
import type { Db } from "#platform/database/db.ts";

/** From the name of a group in the source to its symbol here. */
export interface GroupMap {
  /** "" stays "". A group that nothing defines is made: in another one its members could call more than before. */
  symbolOf(name: string): Promise<string>;
}

const symbolPattern = /^[A-Za-z0-9_-]{1,50}$/;
const mostRequests = 10_000_000;

/** Replaces the groups of a first start. */
export async function writeGroups(
  tx: Db,
  book: ReportBook,
  records: AsyncIterable<GroupRecord>,
): Promise<GroupMap> {
  const symbols = new Map<string, string>();
  const taken = new Set<string>();
  let highest = 0;
  await tx.userGroup.deleteMany();
  for await (const group of records) {
    if (symbols.has(group.symbol)) {
      book.skip("groups", "group_repeated", group.symbol);
      continue;
    }
    await insert(group);
    book.imported("groups", 1);
  }
  if (!symbols.has("default")) await insert(newGroup("default", highest + 1));

  async function insert(group: GroupRecord): Promise<string> {
    highest = Math.max(highest, group.id);
    const symbol = free(group);
    symbols.set(group.symbol, symbol);
    taken.add(symbol);
    const isNegative = Number(group.ratio) < 0;
    if (isNegative) book.attention("group_ratio", group.symbol);
    await tx.userGroup.create({
      data: {
        id: group.id,
        symbol,
        name: truncateText(group.name.trim() === "" ? group.symbol : group.name, 50),
        ratio: isNegative ? "1" : group.ratio,
        public: group.public,
        enable: group.enable && !isNegative,
        api_rate: Math.min(mostRequests, Math.max(1, group.apiRate)),
        promotion: group.promotion,
        min: Math.max(0, group.min),
        max: Math.max(0, group.max),
      },
    });
    return symbol;
  }

  function free({ symbol, id }: GroupRecord): string {
    if (symbolPattern.test(symbol) && !taken.has(symbol)) return symbol;
    let slug = `g-${id}`;
    while (taken.has(slug)) slug += "x";
    book.attention("group_symbol", `${symbol} → ${slug}`);
    return slug;
  }

  return {
    async symbolOf(name) {
      if (name === "") return "";
      const known = symbols.get(name);
      if (known !== undefined) return known;
      book.attention("group_made", name);
      return insert(newGroup(name, highest + 1));
    },
  };
}

function newGroup(symbol: string, id: number): GroupRecord {
  return {
    id,
    symbol,
    name: symbol,
    ratio: "1",
    public: false,
    enable: true,
    apiRate: mostRequests,
    promotion: false,
    min: 0,
    max: 0,
  };
}
