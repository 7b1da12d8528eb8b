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
  openWindow(1_000);
  expect(fittingRows()).toBe(12);
  expect(fittingRows("compact")).toBe(17);
  openWindow(500);
  expect(fittingRows()).toBe(10);
  openWindow(20_000);
  expect(fittingRows()).toBe(100);
});

it("page size: a chosen size wins until it is automatic again", () => {
  openWindow(1_000);
  expect(isAutomaticSize(12)).toBe(true);
  storeChosenSize(50);
  expect(initialSize()).toBe(50);
  expect(isAutomaticSize(50)).toBe(false);
  storeChosenSize(undefined);
  expect(initialSize()).toBe(12);
});

it("page size: a stored value that cannot be chosen is ignored", () => {
  openWindow(900);
  window.localStorage.setItem("list-rows", "100000");
  expect(readChosenSize()).toBeUndefined();
});
