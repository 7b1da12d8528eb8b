/** What a stream of events that keeps a screen current sends, as JSON. */
export type LiveEvent<T> =
  | { type: "data"; data: T }
  /** Nothing is new, and the connection lives. At least every 15 seconds something is sent. */
  | { type: "beat" }
  /** The server ends the stream, so that session and rights are checked again: open another one. */
  | { type: "end" };
