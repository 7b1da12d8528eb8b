import { z } from "zod";
import { because } from "#errors/issue.ts";

/** An IANA name such as Asia/Shanghai. Days begin and end at midnight in this zone. */
export const TimeZone = z.string().max(64).refine(isTimeZone, because("time_zone_unknown")).default("UTC");

/**
 * A time zone for database queries: a name that the database knows. Offsets are rejected, because the
 * database reads them with the opposite sign.
 */
export const SiteTimeZone = z
  .string()
  .trim()
  .max(64)
  .refine((name) => name === "UTC" || isRegion(name), because("time_zone_unknown"));

function isRegion(name: string): boolean {
  return /^[A-Za-z_]+\/[\w/+-]+$/.test(name) && isTimeZone(name);
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}
