import { createHash } from "node:crypto";
import { pointsOf } from "@gateway/shared/billing/money";
import type { LogSession } from "@gateway/shared/usage/log";
import type { FastifyRequest } from "fastify";
import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, Message } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";
import { type Caller, pickLowerLimit } from "#domain/tokens/callers.ts";
import { invalidRequest } from "#errors.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { headOf, longTextOf } from "#platform/memory/long-texts.ts";
import type { SessionBudget } from "#relay/core/call.ts";
import { usdHeader } from "./access.ts";

/** Headers with which agents name their session. The first one present counts. */
const headerNames = [
  "x-claude-code-session-id",
  "session_id",
  "session-id",
  "x-session-id",
  "x-qwen-code-session-id",
] as const;
const agentNames = ["x-claude-code-agent-id", "x-openai-subagent"] as const;
const parentNames = ["x-claude-code-parent-agent-id", "x-codex-parent-thread-id"] as const;
/** Maximum characters of a session name or text that are compared. */
const MOST = 1_024;

interface SessionSource {
  body: Wire;
  request: ChatRequest;
  userId: number;
}

/**
 * Returns a lazy function for the session id of a call: a hash of the name that an agent sends, else of the
 * conversation's beginning. Conversations without tools are not an agent's and have no such id: the weights
 * of the channels route their calls.
 */
export function sessionOf({ headers }: FastifyRequest, given: SessionSource): () => string | undefined {
  let session: string | undefined;
  let isKnown = false;
  return () => {
    if (isKnown) return session;
    isKnown = true;
    const name = nameIn(headers, given.body) ?? beginningOf(given);
    if (name !== undefined)
      session = createHash("sha256").update(`${given.userId}\0${name}`).digest("base64url").slice(0, 22);
    return session;
  };
}

/** Returns the log's note about the session that an agent names. */
export function sessionNoteOf({ headers }: FastifyRequest, body: Wire): LogSession | undefined {
  const id = nameIn(headers, body);
  if (id === undefined) return undefined;
  const [agent, parent] = [firstOf(headers, agentNames), firstOf(headers, parentNames)];
  return { id, ...(agent === undefined ? {} : { agent }), ...(parent === undefined ? {} : { parent }) };
}

function nameIn(headers: FastifyRequest["headers"], body: Wire): string | undefined {
  const named = firstOf(headers, headerNames);
  if (named !== undefined) return named;
  for (const value of [body["prompt_cache_key"], asRecord(body["metadata"])?.["user_id"]])
    if (typeof value === "string" && value !== "") return value.slice(0, MOST);
  return undefined;
}

function firstOf(headers: FastifyRequest["headers"], names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === "string" && value !== "") return value.slice(0, MOST);
  }
  return undefined;
}

function beginningOf({ request }: SessionSource): string | undefined {
  if (request.tools === undefined) return undefined;
  const first = (roles: readonly string[]) => request.messages.find(({ role }) => roles.includes(role));
  const question = textOf(first(["user"]));
  return question === "" ? undefined : `text ${textOf(first(["system", "developer"]))}\0${question}`;
}

function textOf(message: Message | undefined): string {
  const part = message?.parts.find(({ type }) => type === "text");
  if (part?.type !== "text") return "";
  const long = longTextOf(part, "text");
  return long === undefined ? part.text.slice(0, MOST) : headOf(long, MOST);
}

const budgetHeader = "x-session-budget";

/**
 * Returns the budget of a call's session, the lowest of the token's, the operator's and the client's limit;
 * undefined without a limit, or without a session. Throws
 * `invalid_request` for a header that is no amount, or that names no session.
 * @param session returns the session of the call
 */
export function sessionBudgetOf(
  { relay }: Pick<GatewayServices, "relay">,
  request: FastifyRequest,
  caller: Caller,
  session: () => string | undefined,
): SessionBudget | undefined {
  const requested = usdHeader(request, budgetHeader);
  const account = caller.accountSessionSpend ?? relay.groups.get(caller.userGroup)?.sessionSpend ?? 0;
  const operators = pickLowerLimit(caller.sessionSpend, account);
  if (operators === 0 && requested === undefined) return undefined;
  const own =
    requested === undefined ? undefined : pointsOf(requested, relay.settings.current().QuotaPerUnit);
  const name = session();
  if (name === undefined) {
    if (own === undefined) return undefined;
    throw invalidRequest({ reason: "session_budget_unnamed" }, { param: budgetHeader });
  }
  const limit = own === undefined ? operators : operators === 0 ? own : Math.min(own, operators);
  return {
    session: name,
    limit: BigInt(limit),
    // Sent with the response, also with an error.
    note: (headers) => void Object.assign(request.head, headers),
  };
}
