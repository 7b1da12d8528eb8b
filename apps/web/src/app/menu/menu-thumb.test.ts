import { expect, it } from "vitest";
import { scrollOfDrag, thumbOf } from "./menu-thumb.ts";

it("is between 40 and 100 pixels long, however long the menu is", () => {
  expect(thumbOf({ shown: 700, whole: 900, at: 0 })?.length).toBe(100);
  expect(thumbOf({ shown: 300, whole: 1200, at: 0 })?.length).toBe(75);
  expect(thumbOf({ shown: 200, whole: 4000, at: 0 })?.length).toBe(40);
});

it("is at the end when the end is visible, and hidden when everything is visible", () => {
  expect(thumbOf({ shown: 700, whole: 900, at: 200 })).toEqual({ length: 100, offset: 600 });
  expect(thumbOf({ shown: 700, whole: 700, at: 0 })).toBeNull();
});

it("scrolls the menu from start to end when it is dragged all the way", () => {
  expect(scrollOfDrag(600, { shown: 700, whole: 900, at: 0 })).toBe(200);
  expect(scrollOfDrag(10, { shown: 700, whole: 700, at: 0 })).toBe(0);
});
