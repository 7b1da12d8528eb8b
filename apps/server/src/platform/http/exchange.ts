/** What is sent to an upstream, and what comes back. */
import type { AnswerLimits } from "./answer-limits.ts";
import type { CancelSignal } from "./cancellation.ts";
import type { Body } from "./response-body.ts";

export interface UpstreamRequest {
  url: string;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers: Record<string, string>;
  body: string | Buffer | StreamedBody | null;
  /** http, https or socks5 URL; "" means a direct connection. */
  proxy: string;
  connectTimeoutMs: number;
  /** Maximum time from the request being sent to the response's headers. */
  firstByteTimeoutMs: number;
  /** Maximum time between two chunks of the body. */
  idleTimeoutMs: number;
  signal: CancelSignal | undefined;
  progress?: RequestProgress | undefined;
  limits?: AnswerLimits | undefined;
}

/** Receives the progress of a request. Called on the hot path: it must not throw or wait. */
export interface RequestProgress {
  /** The request is on a connection. The upstream may read it from now on. */
  sent(): void;
  /** Status and headers arrived. */
  answered(status: number, headers: UpstreamResponse["headers"], transport?: "websocket"): void;
  /** This number of bytes of the body arrived. */
  received(bytes: number): void;
}

/** A request body that is not in memory. It is opened once for each time it is sent. */
export interface StreamedBody {
  /** Length in bytes; undefined when it is unknown before the end. */
  length: number | undefined;
  open(): AsyncIterable<Buffer>;
}

export interface UpstreamResponse extends Body {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  cancel(): void;
}
