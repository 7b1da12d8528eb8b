/** The unit after the number of a setting, in singular or plural. */
import type { TFunction } from "i18next";

export type UnitText = (t: TFunction, count: number) => string;

export const units = {
  days: (t, count) => t("days", { count }),
  hours: (t, count) => t("hours", { count }),
  minutes: (t, count) => t("minutes", { count }),
  seconds: (t, count) => t("seconds", { count }),
  dollars: (t, count) => t("dollars", { count }),
  tokens: (t, count) => t("tokens", { count }),
  percent: (t) => t("%"),
  kilobytes: (t) => t("KB"),
  gigabytes: (t) => t("GB"),
} satisfies Record<string, UnitText>;
