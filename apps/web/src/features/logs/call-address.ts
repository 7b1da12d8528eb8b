/** The call that is open beside the list, kept in the address: a link opens it, and Back closes it. */
import type { LogRow } from "@gateway/shared/usage/log";
import { useCallback } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router-dom";
import { currentLocation } from "#lib/address/history.ts";
import { apiUrl } from "#lib/http.ts";

const parameter = "call";

/** Returns the request id. Entries that are not calls have only their number. */
export function idOfCall({ request_id, id }: Pick<LogRow, "request_id" | "id">): string {
  return request_id === "" ? id : request_id;
}

/** Returns the address of a call's page within the console. */
export function pathOfCall(id: string): string {
  return `/panel/log/${encodeURIComponent(id)}`;
}

/** Returns the absolute address for sharing, with host and base path. */
export function linkToCall(id: string): string {
  return new URL(`..${pathOfCall(id)}`, apiUrl("/")).href;
}

/** Returns the call named by the address; "" without one. */
export function openCallId(): string {
  return new URLSearchParams(window.location.search).get(parameter) ?? "";
}

type CallPanelAddress = {
  /** "" = closed. */
  id: string;
  open: (id: string) => void;
  /** Replaces the open call. Back still closes the panel. */
  swap: (id: string) => void;
  close: () => void;
};

export function useCallPanel(): CallPanelAddress {
  const [search, setSearch] = useSearchParams();
  const { state } = useLocation();
  const navigate = useNavigate();
  const openedHere = isPanelEntry(state);
  const show = useCallback(
    (id: string, replace: boolean) => {
      const next = new URLSearchParams(window.location.search);
      next.set(parameter, id);
      setSearch(next, { replace, state: replace ? currentLocation().state : { panel: true } });
    },
    [setSearch],
  );
  const close = useCallback(() => {
    if (openedHere) return void navigate(-1);
    const next = new URLSearchParams(window.location.search);
    next.delete(parameter);
    setSearch(next, { replace: true });
  }, [navigate, openedHere, setSearch]);
  const open = useCallback((id: string) => show(id, false), [show]);
  const swap = useCallback((id: string) => show(id, true), [show]);
  return { id: search.get(parameter) ?? "", open, swap, close };
}

/** Returns whether opening the panel created this history entry, so that the list is one step back. */
function isPanelEntry(state: unknown): boolean {
  return typeof state === "object" && state !== null && "panel" in state;
}
