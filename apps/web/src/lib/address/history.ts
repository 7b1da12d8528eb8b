/**
 * The history of the router, with guards for unsaved changes. Small, because every visitor loads it: the
 * router's own history supports leave guards only together with loaders and actions, which we do not use.
 */
import type { Location, Navigator, To } from "react-router-dom";

/** Why the page is left: navigation to another page, or the end of the session. */
export type Departure = "page" | "session";

/** Resolves to true when the page may be left. */
export type LeaveGuard = (why: Departure) => Promise<boolean>;

/** State that we store with each history entry. */
type EntryState = { usr?: unknown; key?: string; idx?: number } | null;
const entryState = () => window.history.state as EntryState;

export function currentLocation(): Location {
  const { pathname, search, hash } = window.location;
  const state = entryState();
  return { pathname, search, hash, state: state?.usr ?? null, key: state?.key ?? "default" };
}

const guards = new Set<LeaveGuard>();
let show: (location: Location) => void = () => {};
const listeners = new Set<() => void>();
let shown = { pathname: "", edited: "", index: 0 };
/** Set while a history step of our own is pending: it undoes the user's navigation, or carries it out. */
let ownStep: "back" | "leave" | null = null;
let asking: Promise<boolean> | undefined;
/** Pending step of `leaveEntry`, which the browser performs asynchronously, and the callback after it. */
let leaving: Promise<void> | undefined;
let left: () => void = () => {};

/** Query parameter that names the open form. */
export const EDITED = "edit";

/** Asks the guards. Concurrent calls share one question. */
export function mayLeave(why: Departure): Promise<boolean> {
  asking ??= askAll(why).finally(() => (asking = undefined));
  return asking;
}

async function askAll(why: Departure): Promise<boolean> {
  for (const guard of guards) if (!(await guard(why))) return false;
  return true;
}

function arrive(): void {
  const location = currentLocation();
  shown = { ...placeOf(location), index: entryState()?.idx ?? 0 };
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
  return { pathname, edited: new URLSearchParams(search).get(EDITED) ?? "" };
}

/**
 * Returns whether the target is another page or form. A script that
 * closes a form has already asked or saved; the back button has not.
 */
function isElsewhere(target: { pathname: string; search: string }, by: "script" | "reader"): boolean {
  const { pathname, edited } = placeOf(target);
  return pathname !== shown.pathname || (edited !== shown.edited && (by === "reader" || edited !== ""));
}

/** @param to an address that includes the base path */
async function move(to: To, state: unknown, write: "pushState" | "replaceState"): Promise<void> {
  // Without a pending step the address changes synchronously.
  if (leaving) await leaving;
  const target = new URL(hrefOf(to), window.location.href);
  if (guards.size > 0 && isElsewhere(target, "script") && !(await mayLeave("page"))) return;
  const index = shown.index + (write === "pushState" ? 1 : 0);
  const entry: EntryState = { usr: state, key: Math.random().toString(36).slice(2, 10), idx: index };
  window.history[write](entry, "", target);
  arrive();
}

/**
 * Handles the back and forward buttons. The browser has already navigated, so a refusal has to navigate back.
 */
async function step(): Promise<void> {
  const own = ownStep;
  ownStep = null;
  leaving = undefined;
  left();
  if (own === "back") return;
  // Only an in-page link or a script creates entries without our state, and always one step ahead.
  markEntry(shown.index + 1);
  const by = (entryState()?.idx ?? 0) - shown.index;
  const free = own === "leave" || guards.size === 0 || by === 0 || !isElsewhere(window.location, "reader");
  if (free) return arrive();
  ownStep = "back";
  window.history.go(-by);
  if (!(await mayLeave("page"))) return;
  ownStep = "leave";
  window.history.go(by);
}

function markEntry(index: number): void {
  if (entryState()?.idx === undefined) window.history.replaceState({ ...entryState(), idx: index }, "");
}

function hrefOf(to: To): string {
  return typeof to === "string" ? to : `${to.pathname ?? ""}${to.search ?? ""}${to.hash ?? ""}`;
}

/** @param arrived called on each new address to show. Returns a function that stops it. */
export function followHistory(arrived: (location: Location) => void): () => void {
  show = arrived;
  markEntry(0);
  shown = { ...placeOf(window.location), index: entryState()?.idx ?? 0 };
  const listen = () => void step();
  window.addEventListener("popstate", listen);
  return () => window.removeEventListener("popstate", listen);
}

/** Goes one step back without asking: the caller has already asked or saved. */
export function leaveEntry(): void {
  if (leaving) return;
  ownStep = "leave";
  leaving = new Promise((resolve) => (left = resolve));
  window.history.go(-1);
}

/** Registers a guard that every navigation must pass. Returns a function that removes it. */
export function guardLeaving(guard: LeaveGuard): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

/** Returns whether a guard protects unsaved changes. */
export function isLeavingGuarded(): boolean {
  return guards.size > 0;
}

export const navigator: Navigator = {
  createHref: hrefOf,
  go: (by) => window.history.go(by),
  push: (to, state) => void move(to, state, "pushState"),
  replace: (to, state) => void move(to, state, "replaceState"),
};
