/** Events of a stream that keeps a screen up to date, as JSON. */
export type LiveEvent<T> =
  | { type: "data"; data: T }
  /** Heartbeat. The server sends at least one event every 15 seconds. */
  | { type: "beat" }
  /**
   * The server ends the stream so that session and permissions are checked again. The client must reconnect.
   */
  | { type: "end" };
