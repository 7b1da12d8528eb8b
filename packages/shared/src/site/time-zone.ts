import { z } from "zod";
import { because } from "#errors/issue.ts";

/** Whose midnight ends a day: an IANA name such as Asia/Shanghai. */
export const TimeZone = z.string().max(64).refine(isTimeZone, because("time_zone_unknown")).default("UTC");

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}
