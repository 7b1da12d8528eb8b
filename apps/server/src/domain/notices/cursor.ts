import type { Prisma } from "#platform/prisma/client.ts";

/** Read position in a source of events. */
interface Cursor {
  position: bigint;
  moveTo(last: bigint | undefined): Promise<void>;
}

/**
 * Opens a cursor, locked until the transaction ends, so that two nodes do not read the same events. A new
 * source starts at its end: earlier events are not reported.
 * @param end query for one value: the last id of the source, or null
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
