import { createInstance } from "i18next";
import { expect, it } from "vitest";
import { messagesOf } from "#lib/locale-files.ts";
import { units } from "./units.ts";

it("uses the singular for one day and one dollar, and the plural for two, none and a half", async () => {
  const language = createInstance();
  const t = await language.init({
    lng: "en-US",
    keySeparator: false,
    nsSeparator: false,
    resources: { "en-US": { translation: messagesOf("en_US", "common") } },
  });
  const { percent, kilobytes, gigabytes, ...counted } = units;
  for (const [name, unit] of Object.entries(counted)) {
    expect(unit(t, 1)).toBe(name.replace(/s$/, ""));
    for (const count of [0, 0.5, 2, Number.NaN]) expect(unit(t, count)).toBe(name);
  }
  expect([percent, kilobytes, gigabytes].map((unit) => unit(t))).toEqual(["%", "KB", "GB"]);
});
