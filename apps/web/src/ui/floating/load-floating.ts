/** Loads the parts of the library that place something beside an element: while the page rests, or when one is used. */
import { savesData, whenIdle } from "#lib/idle.ts";
import { reportMissing } from "#ui/late-part.tsx";
import type * as Parts from "./floating.tsx";

type Floating = typeof Parts;

/** Delay after which the code is fetched ahead, in milliseconds. */
const AHEAD_AFTER_MS = 1_500;

let loaded: Floating | undefined;
let loading: Promise<void> | undefined;

/** Loads the code once. A failed attempt can be repeated. */
export function loadFloating(): Promise<void> {
  loading ??= import("./floating.tsx").then(
    (module) => {
      loaded = module;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** Loads the code. The next use reports an error. */
export function loadFloatingAhead(): void {
  void loadFloating().catch(() => {});
}

if (typeof window !== "undefined" && !savesData())
  setTimeout(() => void whenIdle().then(loadFloatingAhead), AHEAD_AFTER_MS);

/** The code, which is present whenever a part of it was asked for. */
export function floating(): Floating {
  if (!loaded) throw new Error("The floating parts are rendered before they are loaded.");
  return loaded;
}

/** Calls `then` at once if the code is loaded, or later. Reports when it cannot be loaded. */
export function withFloating(then: () => void): void {
  if (loaded) then();
  else loadFloating().then(then, reportMissing);
}
