import type { ZodType } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { DialectId } from "#dialects/ir.ts";

/** What can be asked of an upstream besides chat, in the words of the OpenAI paths. */
export type Endpoint =
  | "chat"
  | "responses"
  | "completions"
  | "embeddings"
  | "moderations"
  | "images"
  | "audio"
  | "rerank"
  | "realtime";

/** What a provider may know about the call it shapes. */
export interface Call {
  /** The name that is sent upstream. */
  model: string;
  stream: boolean;
  /** `channel.other`: API version, region … */
  other: string;
  /** `channel.plugin`, checked against the provider's schema when it was saved. */
  plugin: Record<string, Record<string, unknown>>;
}

/**
 * A vendor: where it lives, which dialect it speaks, how it wants the credential, its quirks. A plain record; shared
 * code never asks which vendor it is.
 */
export interface Provider {
  /** Number stored in `channels.type`; it lives in the registry of this room and nowhere else. */
  type: number;
  /** File name, and key of the icon set unless `icon` says otherwise. */
  id: string;
  label: string;
  icon?: string;
  /** Without a trailing slash; "" when only the operator can know it. */
  baseUrl: string;
  /** What its chat endpoints speak. A client of one of these passes untouched; others are translated to the first. */
  dialects: readonly [DialectId, ...DialectId[]];
  endpoints: readonly Endpoint[];
  /** Vendors on the operator's own machine may have no key. */
  keyless?: boolean;
  /** What a key looks like, for the form. */
  keyHint: string;
  /** Label of `channel.other` when this vendor needs it. */
  otherLabel?: string;
  models: readonly string[];
  testModel: string;
  website: string;
  plugin?: ZodType;
  /** How the credential travels. */
  headers(key: string): Record<string, string>;
  /** Only when the path is not the dialect's. */
  path?(call: Call): string;
  /** Quirks, on the vendor's own wire, after encoding. */
  adjustRequest?(body: Wire, call: Call): Wire;
}

export function bearer(key: string): Record<string, string> {
  return key === "" ? {} : { authorization: `Bearer ${key}` };
}
