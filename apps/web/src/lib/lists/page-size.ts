/** Rows per page of all lists: the number chosen in this browser, or as many as fit into the window. */
import { readStorage, writeStorage } from "#lib/browser-storage.ts";
import { type Density, readDensity } from "./density.ts";

const key = "list-rows";

/** The sizes that can be chosen. */
export const pageSizes = [10, 20, 50, 100] as const;

const least = 10;
/** The server's largest page. */
const most = 100;

/** Pixels above and below the rows of a list whose screen has a title and one line below it, such as tabs. */
export const aroundList = 408;
const listHeader = 38;

/** Pixels of a row with its border. Tables have it from here, and their line heights fit two lines of text into it. */
export const rowHeights: Record<Density, number> = { comfortable: 44, compact: 32 };

/** Returns how many rows of a list fit into the window without scrolling: 10 to 100. */
export function fittingRows(density: Density = readDensity()): number {
  const height = typeof window === "undefined" ? 0 : window.innerHeight;
  return Math.min(
    most,
    Math.max(least, Math.floor((height - aroundList - listHeader) / rowHeights[density])),
  );
}

/** Returns the size that the user has chosen; undefined for an automatic one. */
export function readChosenSize(): number | undefined {
  const stored = Number(readStorage(key));
  return pageSizes.find((size) => size === stored);
}

/** @param size undefined for as many rows as fit */
export function storeChosenSize(size: number | undefined): void {
  writeStorage(key, size === undefined ? null : String(size));
}

/** Returns the rows per page of a list whose address names no size. */
export function initialSize(): number {
  return readChosenSize() ?? fittingRows();
}

/** Returns whether a list of this size shows as many rows as fit, and follows the density. */
export function isAutomaticSize(size: number): boolean {
  return readChosenSize() === undefined && size === fittingRows();
}
