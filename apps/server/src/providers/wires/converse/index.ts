import type { ProviderWire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { decodeResponse, decodeStream } from "./answer.ts";
import { encodeRequest } from "./request.ts";

/**
 * Amazon's own chat format, which supports all models of Bedrock.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, read 2026-11-21. It must
 * not depend on signatures or on AWS's framing: its frames are the unpacked messages of the event stream.
 */
export const converse: ProviderWire = {
  id: "own",
  path: ({ model, stream }) =>
    `/model/${encodeURIComponent(model)}/${stream ? "converse-stream" : "converse"}`,
  encodeRequest,
  takesAddress: () => false,
  decodeResponse,
  decodeStream,
  // Reads both a message beside the status and an error in Anthropic's format that `unframe` produced.
  decodeError: dialects.anthropic.decodeError,
  isLast: ({ event }) => event === "messageStop" || event === "metadata",
};
