import { afterEach, expect, it, vi } from "vitest";
import { fittingRows, initialSize, isAutomaticSize, readChosenSize, storeChosenSize } from "./page-size.ts";

afterEach(() => vi.unstubAllGlobals());

function openWindow(innerHeight: number): void {
  const values = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  };
  vi.stubGlobal("window", { innerHeight, localStorage });
}

it("page size: as many rows as fit, at least 10 and at most 100", () => {
  openWindow(900);
  expect(fittingRows({})).toBe(11);
  expect(fittingRows({}, "compact")).toBe(16);
  openWindow(500);
  expect(fittingRows({})).toBe(10);
  openWindow(20_000);
  expect(fittingRows({})).toBe(100);
});

it("page size: what is above the list leaves room for fewer rows", () => {
  openWindow(1_200);
  expect(fittingRows({ above: 90 })).toBe(fittingRows({}) - 2);
});

it("page size: a chosen size wins until it is automatic again", () => {
  openWindow(900);
  expect(isAutomaticSize(11, {})).toBe(true);
  storeChosenSize(50);
  expect(initialSize({})).toBe(50);
  expect(isAutomaticSize(50, {})).toBe(false);
  storeChosenSize(undefined);
  expect(initialSize({})).toBe(11);
});

it("page size: a stored value that cannot be chosen is ignored", () => {
  openWindow(900);
  window.localStorage.setItem("list-rows", "100000");
  expect(readChosenSize()).toBeUndefined();
});
