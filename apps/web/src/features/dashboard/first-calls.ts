import { readStorage } from "#lib/browser-storage.ts";

/** Calls after which an account no longer needs the steps of getting started. */
export const FIRST_CALLS = 20;

/** Key in local storage of the choice to hide the first steps. */
export const FIRST_STEPS_HIDDEN = "first-steps-hidden";

/** Returns whether the first steps were hidden in this browser. Their code is not loaded then. */
export const hidesFirstSteps = (): boolean => readStorage(FIRST_STEPS_HIDDEN) === "true";
