import type { Upstream, Wire } from "#dialects/dialect.ts";
import type { KnownPrompt } from "#domain/channels/selection/known-prompts.ts";
import type { PricedTarget } from "#relay/core/call.ts";
import { cacheMinimumOf } from "#relay/core/routing/price-options.ts";
import { withMarks } from "./mark-body.ts";
import { placeMarks } from "./place-marks.ts";
import { piecesOf } from "./prompt-pieces.ts";

export interface Marking {
  /** The name under which the prompts of the session are remembered. */
  readonly name: string;
  /** What is known of the session's prompt; undefined for its first call. */
  readonly known: KnownPrompt | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface MarkedPrompt {
  readonly marked: Wire;
  /** What is known of the prompt once the request was sent; undefined where no marks can be added. */
  readonly prompt: KnownPrompt | undefined;
  /** Number of added marks. */
  readonly marks: number;
}

/** A usual count for texts of any language. A mark below the provider's minimum is ignored without a charge. */
const CHARACTERS_PER_TOKEN = 3;

/** Places marks for the prompt cache of a provider that has one, unless the request has marks already. */
export function markPrompt(
  body: Wire,
  {
    channel,
    key,
    upstreamModel: model,
  }: Pick<PricedTarget, "channel" | "upstreamModel"> & Partial<PricedTarget>,
  dialect: Upstream["id"],
  { known, now, isAgent }: Omit<Marking, "name"> & { readonly isAgent: boolean },
): MarkedPrompt {
  const minimum = dialect === "own" ? undefined : cacheMinimumOf(channel, model, dialect);
  const pieces = minimum === undefined ? undefined : piecesOf(body);
  if (minimum === undefined || pieces === undefined) return { marked: body, prompt: undefined, marks: 0 };
  const placed = placeMarks(pieces, known, {
    now,
    target: `${channel.id}:${key?.id ?? ""}:${model}`,
    minSize: minimum * CHARACTERS_PER_TOKEN,
    isAgent,
  });
  const marked = withMarks(body, placed.marks);
  return { marked, prompt: placed.known, marks: marked === body ? 0 : placed.marks.length };
}
