/**
 * Proofs of thinking: signatures and encrypted copies. Only the family of providers that issued one accepts it;
 * any other rejects the whole request. A proof therefore carries its origin, from the response to every later
 * request of the conversation.
 */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { AnswerRepair, Wire } from "#dialects/dialect.ts";
import type {
  ChatEvent,
  ChatRequest,
  ChatResponse,
  ClientDialectId,
  DialectId,
  Message,
  Part,
} from "#dialects/ir.ts";
import { asRecord, parseRecord } from "#dialects/wire.ts";

/** Origins that several providers share. Every other origin is the id of a provider. */
export type ProofOrigin = string;

/** The origin of an unmarked proof of a dialect. Chat completions have no proofs of their own. */
const homes: Record<ClientDialectId, ProofOrigin | undefined> = {
  anthropic: "anthropic",
  gemini: "google",
  "openai-responses": "openai",
  "openai-chat": undefined,
  interactions: "google",
};

export function originOfDialect(dialect: DialectId | "own"): ProofOrigin | undefined {
  return dialect === "own" ? undefined : homes[dialect];
}

export interface ReasoningProof {
  signature?: string | undefined;
  encrypted?: string | undefined;
  id?: string | undefined;
  origin?: ProofOrigin | undefined;
}

type ProofField = "signature" | "encrypted";

const mark = "proof:";

/**
 * Packs the proof of a reasoning part into one opaque string, for formats with a single field for it. The
 * proof of the format's own provider stays unchanged. Anything more is marked, so that unpacking restores it.
 * Returns undefined when there is no proof.
 */
export function packProof(proof: ReasoningProof, plain: ProofField, dialect: DialectId): string | undefined {
  const { signature, encrypted, id, origin } = proof;
  if (signature === undefined && encrypted === undefined) return undefined;
  const isHome = origin === undefined || origin === homes[dialect];
  if (isHome && plain === "signature" && encrypted === undefined && id === undefined) return signature;
  if (isHome && plain === "encrypted" && signature === undefined) return encrypted;
  const json = JSON.stringify({ s: signature, e: encrypted, i: id, o: origin });
  return mark + Buffer.from(json, "utf8").toString("base64url");
}

/**
 * Reads the output of `packProof`. Any other string is the provider's own, with the field's plain meaning.
 */
export function unpackProof(text: string, plain: ProofField): ReasoningProof {
  if (!text.startsWith(mark)) return plain === "signature" ? { signature: text } : { encrypted: text };
  const fields = parseRecord(Buffer.from(text.slice(mark.length), "base64url").toString("utf8"));
  const proof: ReasoningProof = {};
  if (typeof fields?.["s"] === "string") proof.signature = fields["s"];
  if (typeof fields?.["e"] === "string") proof.encrypted = fields["e"];
  if (typeof fields?.["i"] === "string") proof.id = fields["i"];
  if (typeof fields?.["o"] === "string") proof.origin = fields["o"];
  return proof;
}

/** Reads the proof of a call, which is always a signature. */
export function unpackCallProof(
  text: string | null | undefined,
): Pick<ReasoningProof, "signature" | "origin"> {
  if (!text) return {};
  const { signature, origin } = unpackProof(text, "signature");
  return { ...(signature !== undefined && { signature }), ...(origin !== undefined && { origin }) };
}

/** Returns a proof of a provider's response with its origin, for a field of the provider's own dialect. */
export function markProof(text: string, plain: ProofField, origin: ProofOrigin): string {
  if (text === "" || text.startsWith(mark)) return text;
  const json = JSON.stringify({ [plain === "signature" ? "s" : "e"]: text, o: origin });
  return mark + Buffer.from(json, "utf8").toString("base64url");
}

/** `format` of a reasoning detail, as OpenRouter documents it, by origin. */
const formats: ReadonlyArray<readonly [ProofOrigin, string]> = [
  ["anthropic", "anthropic-claude-v1"],
  ["google", "google-gemini-v1"],
  ["openai", "openai-responses-v1"],
  ["azure", "azure-openai-responses-v1"],
  ["xai", "xai-responses-v1"],
];

export function formatOfOrigin(origin: ProofOrigin | undefined): string | undefined {
  return formats.find(([each]) => each === origin)?.[1] ?? origin;
}

export function originOfFormat(format: string | null | undefined): { origin?: ProofOrigin } {
  if (!format || format === "unknown") return {};
  return { origin: formats.find(([, each]) => each === format)?.[0] ?? format };
}

type Proven = Extract<Part, { type: "reasoning" | "tool-call" }>;

function isProven(part: Part): part is Proven {
  if (part.type !== "tool-call" && part.type !== "reasoning") return false;
  return part.signature !== undefined || ("encrypted" in part && part.encrypted !== undefined);
}

/** Sets the origin of all proofs of a response. */
export function withOrigin(answer: ChatResponse, origin: ProofOrigin | undefined): ChatResponse {
  if (origin === undefined) return answer;
  const choices = answer.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) => (isProven(part) ? { origin, ...part } : part)),
  }));
  return { ...answer, choices };
}

/** Sets the origin of a proof in a streamed response. */
export function eventWithOrigin(event: ChatEvent, origin: ProofOrigin | undefined): ChatEvent {
  if (origin === undefined || event.type === "text" || event.type === "tool-input") return event;
  const isProof =
    event.type === "reasoning-proof" || (event.type === "tool-call" && event.signature !== undefined);
  return isProof ? { origin, ...event } : event;
}

/** The receiver of a request, as far as proofs depend on it. */
export interface ProofTarget {
  client: ClientDialectId;
  upstream: DialectId | "own";
  /** Undefined for a provider that passes requests on to others, with a model whose maker is unknown. */
  origin: ProofOrigin | undefined;
}

/** OpenAI's encrypted items are Fernet tokens, which all begin alike. No other maker sends such tokens. */
const fernet = "gAAAA";

function originOf(part: Proven, client: ClientDialectId): ProofOrigin | undefined {
  if (part.origin !== undefined) return part.origin;
  // Only Google signs calls.
  if (part.type === "tool-call") return "google";
  return part.encrypted?.startsWith(fernet) === true ? "openai" : homes[client];
}

type Fate = "keep" | "unpack" | "drop";

/** Decides what happens to a part before the receiver gets it. */
function fateOf(part: Part, { client, upstream }: ProofTarget, accepted: ProofOrigin): Fate {
  if (part.type !== "reasoning" && part.type !== "tool-call") return "keep";
  const isSame = client === upstream;
  const isThinking = part.type === "reasoning";
  if (part.origin === undefined && !isProven(part)) {
    // Thinking that never had a proof has an empty one in this dialect, which Claude rejects.
    const isEmpty = isSame && isThinking && client === "anthropic" && accepted === "anthropic";
    return isEmpty ? "drop" : "keep";
  }
  const origin = originOf(part, client);
  if (origin === undefined) return "keep";
  if (origin !== accepted) return "drop";
  // Within one dialect a marked proof is unpacked. Chat has a field for the origin instead of a mark.
  return isSame && part.origin !== undefined && client !== "openai-chat" ? "unpack" : "keep";
}

/**
 * Returns the request without proofs that its receiver would reject; the same object if there are none. The
 * text of the thinking stays.
 */
export function withProofsFor(request: ChatRequest, target: ProofTarget): ChatRequest {
  const { client, upstream } = target;
  // A provider that passes requests on, perhaps to one that knows these proofs.
  if (client === upstream && target.origin === undefined) return request;
  const accepted = target.origin ?? originOfDialect(upstream);
  if (accepted === undefined) return request;
  const isKept = (part: Part) => fateOf(part, target, accepted) === "keep";
  const isWhole = ({ role, parts }: Message) => role !== "assistant" || parts.every(isKept);
  if (request.messages.every(isWhole)) return request;
  // Other hosts of this dialect accept thinking without a proof, and some require it.
  const empty = upstream === "anthropic" && accepted !== "anthropic" ? { signature: "" } : {};

  function fitPart(part: Part): Part[] {
    if (fateOf(part, target, accepted ?? "") !== "drop") return [part];
    if (part.type === "tool-call") {
      const { signature: _signature, origin: _origin, ...call } = part;
      return [call];
    }
    const text = part.type === "reasoning" ? part.text : "";
    return text === "" ? [] : [{ type: "reasoning", text, ...empty }];
  }

  const messages = request.messages.flatMap<Message>((message) => {
    if (isWhole(message)) return [message];
    const parts = message.parts.flatMap(fitPart);
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
  return { ...request, messages };
}

/** Field of the proof by the type of its object, in all dialects; Gemini's parts have no type. */
const fields = lookupTable<string>({
  thinking: "signature",
  signature_delta: "signature",
  redacted_thinking: "data",
  reasoning: "encrypted_content",
});
const gemini = "thoughtSignature";

const hasProof = /"(?:signature|redacted_thinking|encrypted_content|thoughtSignature)"/;

function addMarks(value: unknown, origin: ProofOrigin): unknown {
  if (Array.isArray(value)) return value.map((each) => addMarks(each, origin));
  const wire = asRecord(value);
  if (wire === undefined) return value;
  const { type } = wire;
  const field = (typeof type === "string" ? fields[type] : undefined) ?? gemini;
  const plain = field === "signature" || field === gemini ? "signature" : "encrypted";
  return Object.fromEntries(
    Object.entries(wire).map(([key, each]) => [
      key,
      key === field && typeof each === "string" ? markProof(each, plain, origin) : addMarks(each, origin),
    ]),
  );
}

/**
 * Marks the proofs of a response that otherwise passes unchanged, when its provider is not the one that its
 * dialect comes from. Otherwise a later request of the conversation could not tell them apart. Returns undefined when
 * the proofs of this origin need no mark in this dialect. Pure.
 */
export function markProofs(dialect: DialectId, origin: ProofOrigin): AnswerRepair | undefined {
  const home = originOfDialect(dialect);
  if (home === undefined || origin === home) return undefined;
  return {
    whole: (body) => addMarks(body, origin) as Wire,
    frame(data) {
      const wire = hasProof.test(data) ? parseRecord(data) : undefined;
      return wire === undefined ? undefined : [JSON.stringify(addMarks(wire, origin))];
    },
    end: () => [],
    usage: () => undefined,
  };
}
