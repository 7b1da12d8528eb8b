import { afterEach, expect, it, vi } from "vitest";
import { followHistory } from "./history.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("entries that a link within the page has made have different keys", () => {
  let state: unknown = null;
  const history = {
    get state() {
      return state;
    },
    replaceState(next: unknown) {
      state = next;
    },
  };
  const location = { pathname: "/first", search: "", hash: "" };
  const page = Object.assign(new EventTarget(), { history, location });
  vi.stubGlobal("window", page);
  const keys: string[] = [];
  const stop = followHistory(({ key }) => keys.push(key));
  for (const hash of ["#one", "#two"]) {
    location.hash = hash;
    state = null;
    page.dispatchEvent(new Event("popstate"));
  }
  stop();
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
});
