/** The most that a response of a realtime session can use, from the size of its conversation. */
import type { Usage } from "#dialects/ir.ts";
import { publishedModel } from "#domain/catalog/published-models.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";

/** Tokens of input that a turn may add to the conversation. */
const TURN_TOKENS = 2_000;
/** Longest response of models that are not in the list. */
const OUTPUT_TOKENS = 4_096;

/** Returns the maximum usage of a session's first response; its output is the model's own maximum. */
export function realtimeEstimate(model: string): Estimate {
  return estimateOf({ text: 0, sound: 0 }, longestOutput(model));
}

/** Responses of a session need no limit, so the longest response of the model is reserved. */
export function longestOutput(model: string): number {
  return publishedModel(model)?.longestAnswer || OUTPUT_TOKENS;
}

/** @param output at least the default output: a limit set now can be removed before the response */
export function estimateOf({ text, sound }: ConversationTokens, output: number): Estimate {
  const audioInput = sound + TURN_TOKENS;
  const input = text + audioInput;
  // The provider stores the conversation, and what the client's files contain does not show in their size.
  return { input, audioInput, output, audioOutput: output, isOpen: true, isUnseen: true };
}

/** Input tokens of a conversation. */
export interface ConversationTokens {
  text: number;
  sound: number;
}

/** Whether a reservation covers the conversation's current size. Its margin is not required again. */
export function covers(
  { input, audioInput = 0, output }: Usage,
  { text, sound }: ConversationTokens,
  most: number,
): boolean {
  return input >= text + sound && audioInput >= sound && output >= most;
}
