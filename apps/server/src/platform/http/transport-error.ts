import { errors } from "undici";

/** Why there was no complete response. */
export class TransportError extends Error {
  readonly kind: "timeout" | "network" | "aborted";
  /** The response exceeded a limit of its request: bytes or duration. */
  readonly isLimit: boolean;
  constructor(kind: "timeout" | "network" | "aborted", message: string, cause?: unknown, isLimit = false) {
    super(message, { cause });
    this.name = "TransportError";
    this.kind = kind;
    this.isLimit = isLimit;
  }
}

export function classify(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  if (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  )
    return new TransportError("timeout", error.message, error);
  const message = error instanceof Error ? error.message : String(error);
  return new TransportError("network", message || "The connection failed.", error);
}

export function tooLarge(maxBytes: number): TransportError {
  return new TransportError("network", `The response is larger than ${maxBytes} bytes.`, undefined, true);
}
