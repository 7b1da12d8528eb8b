/** What the process of gateway-host.ts and its parent send each other. */

/** A message of the parent. */
export type HostRequest =
  | { id: number; action: "start"; env: Record<string, string>; isLocal: boolean }
  | { id: number; action: "stop"; url: string };

/** The answer to the request of this id. */
export interface HostAnswer {
  id: number;
  /** Address of the gateway that was started. */
  url?: string;
  error?: string;
}
