import type { ProviderWire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { decodeResponse, decodeStream } from "./answer.ts";
import { encodeRequest } from "./request.ts";

/**
 * Amazon's own chat wire, the one in which all models of Bedrock can be asked.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, read 2026-11-21.
 * It must never know of signatures or of AWS's framing: its frames are those of the event stream, unpacked.
 */
export const converse: ProviderWire = {
  id: "own",
  path: ({ model, stream }) =>
    `/model/${encodeURIComponent(model)}/${stream ? "converse-stream" : "converse"}`,
  encodeRequest,
  takesAddress: () => false,
  decodeResponse,
  decodeStream,
  // A sentence beside the status, or an error in Anthropic's form from the unframing: both are read there.
  decodeError: dialects.anthropic.decodeError,
  isLast: ({ event }) => event === "messageStop" || event === "metadata",
};
