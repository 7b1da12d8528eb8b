import { z } from "zod";

/** Whose midnight ends a day: an IANA name such as Asia/Shanghai. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, "This is not the name of a time zone")
  .default("UTC");

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}
