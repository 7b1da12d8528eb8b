import type { IncomingHttpHeaders } from "node:http";

/** A call that the demo upstream received. */
export interface Call {
  method: string;
  /** Path and query as received. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The provider key of the caller, or "". */
  key: string;
  /** Parsed JSON. Other bodies are described, not stored. */
  body: unknown;
  /** Unix milliseconds of arrival, and of the end (undefined while it is running). */
  time: number;
  endedAt: number | undefined;
  /** Status of the response; 0 while there is none. */
  status: number;
  /** The caller disconnected before the response was complete. */
  aborted: boolean;
}

const MOST_CALLS = 1000;
const MOST_BYTES = 16 * 1024 * 1024;

interface Entry {
  call: Call;
  bytes: number;
}

/** The latest calls, limited in number and memory. */
export class CallLog {
  #entries: Entry[] = [];
  #bytes = 0;

  add(call: Call, bytes: number): void {
    this.#entries.push({ call, bytes });
    this.#bytes += bytes;
    if (this.#entries.length > 2 * MOST_CALLS || this.#bytes > MOST_BYTES) this.#trim();
  }

  #trim(): void {
    const kept: Entry[] = [];
    this.#bytes = 0;
    for (const entry of this.#entries.toReversed()) {
      if (kept.length === MOST_CALLS || (kept.length > 0 && this.#bytes + entry.bytes > MOST_BYTES / 2))
        break;
      kept.push(entry);
      this.#bytes += entry.bytes;
    }
    this.#entries = kept.reverse();
  }

  list(): Call[] {
    return this.#entries.map(({ call }) => call);
  }

  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
  }
}
