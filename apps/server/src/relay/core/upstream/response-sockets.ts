import { createHash } from "node:crypto";
import { parseExact } from "#dialects/json/parse-json.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import type { UpstreamClient } from "#platform/http/http.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import { openWebSocket } from "#platform/http/web-socket.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { type Ahead, openResponseLine, type ResponseLine } from "./response-socket.ts";
import { type ChannelAccount, type ProviderServices, socketRequest, type ToProvider } from "./send.ts";

/**
 * WebSockets to providers, for the Responses calls of one client connection: one per channel and key. Each
 * response is read as if it had arrived over HTTP. Format and limits:
 * https://developers.openai.com/api/docs/guides/websocket-mode, read 2026-11-25.
 */
export interface ResponseSockets {
  /** Sends a request. Returns undefined when it must be sent over HTTP. Throws as `send` does. */
  send(
    account: ChannelAccount,
    request: ToProvider,
    continued?: ContinuedResponse,
  ): Promise<UpstreamResponse | undefined>;
  close(): void;
}

/** The earlier response of the same connection that a request continues. */
export interface ContinuedResponse {
  id: string;
  /** Items of the whole input, and how many of them are new. */
  items: number;
  newItems: number;
}

/** Providers close a connection after 60 minutes. */
const MAX_AGE_MS = 55 * 60_000;
/** Connections of one client, of which only one is in use. */
const MOST_CONNECTIONS = 4;
const UPGRADE_MS = 10_000;
/** Interval in which unused connections are checked. */
const CHECK_MS = 15_000;
const MAX_MESSAGE = 16 * 1024 * 1024;

/** Time without further upgrades to an address that has none, or failed at one. */
const NO_UPGRADE_MS = 10 * 60_000;
const FAILED_UPGRADE_MS = 60_000;

/** Addresses without a WebSocket, and until when none is tried. By the client that tried. */
const refusals = new WeakMap<UpstreamClient, Map<string, number>>();

function refusalsOf(upstream: UpstreamClient): Map<string, number> {
  let known = refusals.get(upstream);
  if (known === undefined) refusals.set(upstream, (known = new Map()));
  return known;
}

interface PooledConnection {
  line: ResponseLine;
  account: ChannelAccount;
  openedAt: number;
  usedAt: number;
}

/** @param idleMs milliseconds without a call after which a connection is closed */
export function openResponseSockets(
  services: ProviderServices & Pick<RelayServices, "candidates">,
  idleMs: number,
): ResponseSockets {
  /** By a hash of everything that the provider receives when the connection is opened. */
  const lines = new Map<string, PooledConnection>();
  const refused = refusalsOf(services.upstream);
  let timer: NodeJS.Timeout | undefined;

  function drop(id: string): void {
    lines.get(id)?.line.close();
    lines.delete(id);
  }

  function check(): void {
    for (const [id, { line, account, openedAt, usedAt }] of lines) {
      if (line.state === "busy") continue;
      const isOld = now() - openedAt >= MAX_AGE_MS || now() - usedAt >= idleMs;
      if (line.state === "closed" || isOld || !isCurrent(account)) drop(id);
    }
    if (lines.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** Whether the channel still has this key. */
  function isCurrent({ channel, key }: ChannelAccount): boolean {
    const current = services.candidates.byId(channel.id);
    if (current === undefined || key === undefined) return current !== undefined;
    return current.keys.some((other) => other.id === key.id && other.key === key.key);
  }

  function keep(id: string, kept: PooledConnection): void {
    lines.set(id, kept);
    timer ??= setInterval(check, Math.min(CHECK_MS, idleMs)).unref();
    for (const [oldest] of lines) {
      if (lines.size <= MOST_CONNECTIONS) break;
      drop(oldest);
    }
  }

  /** Returns undefined when the address has no WebSocket. */
  async function open(address: string, wire: Wire): Promise<ResponseLine | undefined> {
    try {
      const answer = await openWebSocket({ ...wire, maxMessage: MAX_MESSAGE });
      if ("socket" in answer) return openResponseLine(answer.socket);
      // A refused key or a limit says nothing about the address. The request over HTTP reports it.
      if (![401, 403, 429].includes(answer.status))
        refused.set(address, now() + (answer.status >= 500 ? FAILED_UPGRADE_MS : NO_UPGRADE_MS));
    } catch (error) {
      if (error instanceof TransportError && error.kind === "aborted") throw error;
      refused.set(address, now() + FAILED_UPGRADE_MS);
    }
    return undefined;
  }

  function isRefused(address: string): boolean {
    const until = refused.get(address);
    if (until === undefined) return false;
    if (now() < until) return true;
    refused.delete(address);
    return false;
  }

  return {
    async send(account, request, continued) {
      const address = `${account.channel.id} ${account.channel.baseUrl}`;
      const { body } = request;
      if (isRefused(address) || !isText(body)) return undefined;
      const wire = await socketRequest(services, account, request, UPGRADE_MS);
      const id = identityOf(account, wire);
      check();
      const kept = lines.get(id);
      if (kept?.line.state === "free") {
        // The connections are ordered by their last use.
        lines.delete(id);
        lines.set(id, { ...kept, usedAt: now() });
        const answer = await kept.line.send(aheadOf(request, body, continued, kept.line.lastId), wire.limits);
        if (answer !== "gone") return answer;
      }
      drop(id);
      const line = await open(address, wire);
      if (line === undefined) return undefined;
      keep(id, { line, account, openedAt: now(), usedAt: now() });
      const answer = await line.send(aheadOf(request, body, undefined, undefined), wire.limits);
      if (answer !== "gone") return answer;
      throw new TransportError("network", "The provider closed the connection without a response.");
    },
    close() {
      clearInterval(timer);
      for (const id of lines.keys()) drop(id);
    },
  };
}

type Wire = Awaited<ReturnType<typeof socketRequest>>;

function identityOf({ channel, key }: ChannelAccount, { url, headers, proxy }: Wire): string {
  const text = JSON.stringify([channel.id, key?.id, url, headers, proxy]);
  return createHash("sha256").update(text).digest("base64");
}

function isText(body: ToProvider["body"]): body is string | Buffer {
  return typeof body === "string" || Buffer.isBuffer(body);
}

/** Returns the messages for a request: all of it, and its new items if the provider still has the others. */
function aheadOf(
  { progress, signal }: ToProvider,
  body: string | Buffer,
  continued: ContinuedResponse | undefined,
  lastId: string | undefined,
): Ahead {
  const { stream: _stream, background: _background, ...fields } = parseExact(body.toString()) as Fields;
  const whole = () => JSON.stringify({ type: "response.create", ...fields });
  const { input } = fields;
  const goesOn =
    continued !== undefined &&
    continued.id === lastId &&
    fields["previous_response_id"] == null &&
    Array.isArray(input) &&
    // The provider received the same items before, so that the new ones follow them.
    input.length === continued.items;
  if (!goesOn) return { progress, signal, whole, rest: undefined };
  const rest = JSON.stringify({
    type: "response.create",
    ...fields,
    previous_response_id: continued.id,
    input: input.slice(input.length - continued.newItems),
  });
  return { progress, signal, whole, rest };
}

type Fields = Record<string, unknown>;
