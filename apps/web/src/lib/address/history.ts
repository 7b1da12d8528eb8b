/**
 * The browser's history for `<Router>`. It asks before unsaved changes are lost. The router's own `useBlocker` needs its data
 * router, which would add 20 KB to every first page: loaders, actions and their progress. Our pages are lazy components
 * with queries and would use nothing else of it.
 */
import type { Location, Navigator, To } from "react-router-dom";

/** Why the page is left: navigation to another page, or the end of the session. */
export type Departure = "page" | "session";

/** Resolves to true when the page may be left. */
export type LeaveGuard = (why: Departure) => Promise<boolean>;

/** What this file stores with each entry of the browser's history. */
type HistoryEntry = {
  /** Position in the history, which tells the direction of a step. */
  index: number;
  key: string;
  /** The state that the caller of a navigation gave it. */
  state: unknown;
};

/** Undefined for an entry that a link within the page or another script has made. */
const currentEntry = () => (window.history.state as { entry?: HistoryEntry } | null)?.entry;

function newEntry(index: number, state: unknown): HistoryEntry {
  return { index, key: Math.random().toString(36).slice(2, 10), state };
}

export function currentLocation(): Location {
  const { pathname, search, hash } = window.location;
  const { key = "default", state = null } = currentEntry() ?? {};
  return { pathname, search, hash, state, key };
}

const guards = new Set<LeaveGuard>();
let show: (location: Location) => void = () => {};
const listeners = new Set<() => void>();
let shown = { pathname: "", form: "", index: 0 };
/** Set while a step of our own is pending: it undoes the user's step, or carries it out. */
let ownStep: "undo" | "leave" | null = null;
let question: Promise<boolean> | undefined;
/** Pending step of `leaveEntry`, which the browser performs asynchronously, and the callback after it. */
let leaving: Promise<void> | undefined;
let onLeft: () => void = () => {};

/** Query parameter that names the open form. */
export const EDITED = "edit";

/** Asks the guards. Concurrent calls share one question. */
export function mayLeave(why: Departure): Promise<boolean> {
  question ??= askGuards(why).finally(() => (question = undefined));
  return question;
}

async function askGuards(why: Departure): Promise<boolean> {
  for (const guard of guards) if (!(await guard(why))) return false;
  return true;
}

function showAddress(): void {
  const location = currentLocation();
  shown = { ...placeOf(location), index: currentEntry()?.index ?? 0 };
  show(location);
  for (const listener of listeners) listener();
}

/**
 * Calls the listener after every change of the address, before
 * the page is drawn. Returns a function that unsubscribes.
 */
export function onAddressChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns what a guard protects: the page and the form that is open on it. */
function placeOf({ pathname, search }: { pathname: string; search: string }) {
  return { pathname, form: new URLSearchParams(search).get(EDITED) ?? "" };
}

/**
 * Returns whether the target is another page or form. A script that
 * closes a form has already asked or saved; the back button has not.
 */
function isElsewhere(target: { pathname: string; search: string }, by: "script" | "button"): boolean {
  const { pathname, form } = placeOf(target);
  return pathname !== shown.pathname || (form !== shown.form && (by === "button" || form !== ""));
}

/** @param to an address that includes the base path */
async function navigate(to: To, state: unknown, write: "pushState" | "replaceState"): Promise<void> {
  // Without a pending step the address changes synchronously.
  if (leaving) await leaving;
  const target = new URL(hrefOf(to), window.location.href);
  if (guards.size > 0 && isElsewhere(target, "script") && !(await mayLeave("page"))) return;
  const index = shown.index + (write === "pushState" ? 1 : 0);
  window.history[write]({ entry: newEntry(index, state) }, "", target);
  showAddress();
}

/**
 * Handles the back and forward buttons. The browser has already navigated, so a refusal has to navigate back.
 */
async function handleStep(): Promise<void> {
  const own = ownStep;
  ownStep = null;
  leaving = undefined;
  onLeft();
  if (own === "undo") return;
  // Only a link within the page or a script makes entries without ours, and always one step ahead.
  markEntry(shown.index + 1);
  const by = (currentEntry()?.index ?? 0) - shown.index;
  const free = own === "leave" || guards.size === 0 || by === 0 || !isElsewhere(window.location, "button");
  if (free) return showAddress();
  ownStep = "undo";
  window.history.go(-by);
  if (!(await mayLeave("page"))) return;
  ownStep = "leave";
  window.history.go(by);
}

function markEntry(index: number): void {
  if (!currentEntry()) window.history.replaceState({ entry: newEntry(index, null) }, "");
}

function hrefOf(to: To): string {
  return typeof to === "string" ? to : `${to.pathname ?? ""}${to.search ?? ""}${to.hash ?? ""}`;
}

/** @param onLocation called with each new address to show. Returns a function that stops it. */
export function followHistory(onLocation: (location: Location) => void): () => void {
  show = onLocation;
  markEntry(0);
  shown = { ...placeOf(window.location), index: currentEntry()?.index ?? 0 };
  const listener = () => void handleStep();
  window.addEventListener("popstate", listener);
  return () => window.removeEventListener("popstate", listener);
}

/** Goes one step back without asking: the caller has already asked or saved. */
export function leaveEntry(): void {
  if (leaving) return;
  ownStep = "leave";
  leaving = new Promise((resolve) => (onLeft = resolve));
  window.history.go(-1);
}

/** Registers a guard that every navigation must pass. Returns a function that removes it. */
export function addLeaveGuard(guard: LeaveGuard): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

/** Returns whether a guard protects unsaved changes. */
export function hasLeaveGuard(): boolean {
  return guards.size > 0;
}

export const navigator: Navigator = {
  createHref: hrefOf,
  go: (by) => window.history.go(by),
  push: (to, state) => void navigate(to, state, "pushState"),
  replace: (to, state) => void navigate(to, state, "replaceState"),
};
