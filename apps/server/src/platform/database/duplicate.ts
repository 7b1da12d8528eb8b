import { errorCodeOf } from "#platform/error-code.ts";

/** Returns whether a value that must be unique exists already. The code is Prisma's. */
export function isDuplicate(error: unknown): boolean {
  return errorCodeOf(error) === "P2002";
}
