import i18next from "i18next";
import { expect, it } from "vitest";
import { localDay } from "#lib/address/day-ranges.ts";
import { automaticChange, marksOf } from "./chart-marks.ts";

const t = ((text: string, { names }: { names: string }) => text.replace("{{names}}", names)) as never;
const noon = (date: string) => localDay(date).getTime() / 1000 + 43_200;
const change = (date: string, action: string, target_name: string) => ({
  created_time: noon(date),
  action,
  target_name,
  target_id: "7",
});

it("a day is marked once per kind of change, with at most three names", async () => {
  await i18next.init({ lng: "en_US" });
  const marks = marksOf(
    t,
    [
      change("2026-03-02", "channel.disable", "West"),
      change("2026-03-02", "channel.disable", "West"),
      ...["a", "b", "c", "d"].map((name) => change("2026-03-03", "price.change", name)),
      change("2026-03-03", "channel.disable", ""),
      automaticChange({ created_time: noon("2026-03-03"), channel_id: 8, channel_name: "East" }),
      change("2026-02-01", "channel.disable", "Outside"),
    ],
    ["2026-03-01", "2026-03-02", "2026-03-03"],
  );
  expect(marks.map(({ day }) => day)).toEqual([1, 2, 2, 2]);
  expect(marks[0]?.text).toBe("Disabled: West");
  expect(marks[1]?.text).toBe("Disabled: 7");
  expect(marks[2]?.text).toBe("Disabled automatically: East");
  expect(marks[3]?.text).toContain("…");
});
