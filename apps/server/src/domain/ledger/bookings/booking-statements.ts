import { readStatement } from "#platform/database/prepared-statement.ts";

export const bookChargesStatement = readStatement(import.meta.url, "book-charges.sql");
export const releaseStatement = readStatement(import.meta.url, "release-reservations.sql");
