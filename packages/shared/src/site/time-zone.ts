import { z } from "zod";
import { because } from "#errors/issue.ts";

/** Whose midnight ends a day: an IANA name such as Asia/Shanghai. */
export const TimeZone = z.string().max(64).refine(isTimeZone, because("time_zone_unknown")).default("UTC");

/** The same for the database: a name that it knows, and no offset, which it would read with the other sign. */
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
