import { ImportRefusal } from "#migration/refusal.ts";

/** Values that do not fit and constraints, as SQLSTATE or as a code of Prisma. */
const unstorable = /^(2[23][\dA-Z]{3}|P20(0[02-7]|1[0-4]|20|23|33))$/;

/** Waits for rows to be written. A row that the database rejects makes the import impossible, and its kind is named. */
export async function nameRejectedRows<T>(kind: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && unstorable.test(String(error.code)))) throw error;
    // Prisma's message begins with the program's own lines.
    const detail = (error.message.trim().split("\n").at(-1) ?? "").slice(0, 300);
    throw new ImportRefusal(
      `The database rejects a row of ${kind}: ${detail}. Nothing was changed. ` +
        "Correct the row in a copy of the old database, and import the copy.",
      { cause: error, facts: { reason: "source_row_rejected", kind, detail } },
    );
  }
}
