import type { Db } from "./db.ts";

/**
 * Advisory lock numbers that serialize work of several nodes on one database. They stand in one list because
 * two kinds of work with the same number would wait for each other. They never change: during an update nodes
 * of two versions run together.
 */
export const advisoryLocks = {
  makeRoot: 4_211_801,
  planNotices: 4_211_802,
  keepLogDays: 5_180_422,
  buildLogIndexes: 5_180_423,
  compactLogDays: 5_180_425,
  seedPrices: 5_180_424,
  closeHours: 5_180_431,
  changeSettings: 5_180_432,
  startChannelRun: 20_261_121,
  addTelegramMenu: 20_261_123,
  /** With the id of the account as its second number. */
  storeConversation: 20_261_124,
  startImport: 20_261_125,
  applyFile: 20_261_126,
  writeBackup: 20_261_127,
  exportLog: 20_261_129,
  /** With the id of the account as its second number. */
  createQuote: 20_261_130,
} as const;

/**
 * Makes transactions that count or look for rows of one subject before they add one, e.g. `orders:12`, wait for each
 * other. Without it, those that count at the same time exceed a limit together.
 */
export async function lockCount(tx: Db, subject: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${subject}, 0))`;
}
