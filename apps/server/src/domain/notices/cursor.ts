import type { Prisma } from "#platform/prisma/client.ts";

/** How far a source of events has been read. */
interface Cursor {
  position: bigint;
  moveTo(last: bigint | undefined): Promise<void>;
}

/**
 * Locked until the transaction ends, so that two nodes do not read the same. A new source begins at its end: what
 * happened before is not reported.
 * @param end one value: the last id of the source, or null
 */
export async function openCursor(
  tx: Prisma.TransactionClient,
  source: string,
  end: Prisma.Sql,
): Promise<Cursor> {
  await tx.$executeRaw`
    INSERT INTO notice_cursors (source, position) SELECT ${source}, coalesce((${end}), 0)
    WHERE NOT EXISTS (SELECT FROM notice_cursors WHERE source = ${source})
    ON CONFLICT (source) DO NOTHING`;
  const [row] = await tx.$queryRaw<{ position: bigint }[]>`
    SELECT position FROM notice_cursors WHERE source = ${source} FOR UPDATE`;
  return {
    position: row?.position ?? 0n,
    async moveTo(last) {
      if (last !== undefined) await tx.noticeCursor.update({ where: { source }, data: { position: last } });
    },
  };
}
