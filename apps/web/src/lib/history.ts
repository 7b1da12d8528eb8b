/**
 * Where the browser is, for the router, and who must be asked before a page is left. Small, because every visitor
 * loads it: the router's own history knows leave guards only together with loaders and actions, which we do not use.
 */
import type { Location, Navigator, To } from "react-router-dom";

/** What takes the reader away: another page, or the end of the session. */
export type Departure = "page" | "session";

/** Resolves to true when the page may be left. */
export type LeaveGuard = (why: Departure) => Promise<boolean>;

/** What we write beside each entry of the browser's history. */
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
/** What the browser's next step is, when it is ours: taking back the wish to leave, or granting it. */
let ownStep: "back" | "leave" | null = null;
let asking: Promise<boolean> | undefined;
/** The step of `leaveEntry`, which the browser takes a moment later, and what is called after it. */
let leaving: Promise<void> | undefined;
let left: () => void = () => {};

/** The parameter of an address that names the form which is open. */
export const EDITED = "edit";

/** Asks whoever stands guard, once however often it is called meanwhile. */
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

/** Calls the listener after every change of the address, before the page is drawn. Returns how to stop. */
export function onAddressChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What a guard stands for: the page, and the form that is open on it. */
function placeOf({ pathname, search }: { pathname: string; search: string }) {
  return { pathname, edited: new URLSearchParams(search).get(EDITED) ?? "" };
}

/** A script that closes a form has asked before, or has saved; the back button has not. */
function isElsewhere(target: { pathname: string; search: string }, by: "script" | "reader"): boolean {
  const { pathname, edited } = placeOf(target);
  return pathname !== shown.pathname || (edited !== shown.edited && (by === "reader" || edited !== ""));
}

/** @param to an address with the base path in front */
async function move(to: To, state: unknown, write: "pushState" | "replaceState"): Promise<void> {
  // Without one to wait for, an address changes at once.
  if (leaving) await leaving;
  const target = new URL(hrefOf(to), window.location.href);
  if (guards.size > 0 && isElsewhere(target, "script") && !(await mayLeave("page"))) return;
  const index = shown.index + (write === "pushState" ? 1 : 0);
  const entry: EntryState = { usr: state, key: Math.random().toString(36).slice(2, 10), idx: index };
  window.history[write](entry, "", target);
  arrive();
}

/** The back and forward buttons: the browser has gone already, so who stays has to be brought back. */
async function step(): Promise<void> {
  const own = ownStep;
  ownStep = null;
  leaving = undefined;
  left();
  if (own === "back") return;
  // Only a link within the page or a script makes entries without our mark, and always one ahead.
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

/** @param arrived told whenever another address is to be shown. Returns how to stop. */
export function followHistory(arrived: (location: Location) => void): () => void {
  show = arrived;
  markEntry(0);
  shown = { ...placeOf(window.location), index: entryState()?.idx ?? 0 };
  const listen = () => void step();
  window.addEventListener("popstate", listen);
  return () => window.removeEventListener("popstate", listen);
}

/** One step back, without a question: whoever closes a form has asked, or has saved. */
export function leaveEntry(): void {
  if (leaving) return;
  ownStep = "leave";
  leaving = new Promise((resolve) => (left = resolve));
  window.history.go(-1);
}

/** While it stands, no one goes to another page without it. Returns how to take it away. */
export function guardLeaving(guard: LeaveGuard): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

/** True while something stands that would be lost with the page. */
export function isLeavingGuarded(): boolean {
  return guards.size > 0;
}

export const navigator: Navigator = {
  createHref: hrefOf,
  go: (by) => window.history.go(by),
  push: (to, state) => void move(to, state, "pushState"),
  replace: (to, state) => void move(to, state, "replaceState"),
};
