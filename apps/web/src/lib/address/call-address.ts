/** Addresses of calls. */
import type { LogRow } from "@gateway/shared/usage/log";
import { apiUrl } from "#lib/http.ts";

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
