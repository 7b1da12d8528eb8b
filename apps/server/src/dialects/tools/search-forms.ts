/**
 * The forms in which each dialect shows a web search to its client, for searches that the gateway runs itself. A conversation
 * in Messages returns them with the next request: `searchesIn` finds them there. Pure.
 */
import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, Citation, ClientDialectId, Message, Part } from "#dialects/ir.ts";
import { asRecord, compact, ownFields, parseRecord } from "#dialects/wire.ts";

/** Kind of a search by the gateway in `Usage.toolCalls`. It has a price of its own. */
export const gatewaySearch = "gateway-search";

/** A page that a search has found. */
export interface SearchedPage {
  readonly url: string;
  readonly title: string;
  readonly excerpt: string;
  /** "" = unknown. */
  readonly date: string;
}

export type SearchError =
  | "unavailable"
  | "too_many_requests"
  | "query_too_long"
  | "max_uses_exceeded"
  | "invalid_query";

/** A search by the gateway, and what it has found. */
export interface ShownSearch {
  /** Unique within the conversation, without a prefix. */
  readonly id: string;
  readonly query: string;
  readonly result: { readonly pages: readonly SearchedPage[] } | { readonly error: SearchError };
}

/** Prefix of the ids of the gateway's own searches. A provider does not accept them as its own. */
const ownId = { anthropic: "srvtoolu_gateway", "openai-responses": "ws_gateway" } as const;

/** Returns the parts that show a search to a client of this dialect. */
export function searchParts(dialect: ClientDialectId, search: ShownSearch): Part[] {
  switch (dialect) {
    case "anthropic":
      return messagesBlocks(search).map((fields) => ({ type: "foreign", extra: { dialect, fields } }));
    case "openai-responses":
      return [{ type: "foreign", extra: { dialect, fields: responsesItem(search) } }];
    default:
      // Chat shows the sources as annotations, Gemini as metadata of the response: both are citations.
      return [];
  }
}

function messagesBlocks({ id: name, query, result }: ShownSearch): Wire[] {
  const id = `${ownId.anthropic}${name}`;
  const content =
    "error" in result
      ? {
          type: "web_search_tool_result_error",
          error_code: result.error === "invalid_query" ? "invalid_tool_input" : result.error,
        }
      : result.pages.map(({ url, title, excerpt, date }) => ({
          type: "web_search_result",
          url,
          title,
          encrypted_content: packPage({ excerpt, date }),
          page_age: date === "" ? null : date,
        }));
  return [
    { type: "server_tool_use", id, name: "web_search", input: { query }, caller: { type: "direct" } },
    { type: "web_search_tool_result", tool_use_id: id, content, caller: { type: "direct" } },
  ];
}

/** Clients return this text unread, so that the gateway need not store what was found. */
function packPage(page: Pick<SearchedPage, "excerpt" | "date">): string {
  return Buffer.from(JSON.stringify(page)).toString("base64");
}

function responsesItem({ id, query, result }: ShownSearch): Wire {
  const sources = "error" in result ? [] : result.pages.map(({ url }) => ({ type: "url", url }));
  return {
    id: `${ownId["openai-responses"]}${id}`,
    type: "web_search_call",
    status: "error" in result ? "failed" : "completed",
    action: { type: "search", query, queries: [query], sources },
  };
}

/** Returns the citation of a page in a text. @param link the place of the link, and its words */
export function citationOf(
  page: SearchedPage,
  queries: readonly string[],
  client: ClientDialectId,
  link?: { start: number; end: number; text: string },
): Citation {
  const { url, title } = page;
  const raw =
    client === "anthropic"
      ? {
          type: "web_search_result_location",
          url,
          title,
          cited_text: page.excerpt.slice(0, 150),
          encrypted_index: packPage({ excerpt: "", date: page.date }),
        }
      : client === "gemini"
        ? { webSearchQueries: queries }
        : undefined;
  return compact<Citation>({
    url,
    title,
    citedText: link?.text,
    start: link?.start,
    end: link?.end,
    raw: raw === undefined ? undefined : { dialect: client, fields: raw },
  });
}

/** Returns whether a request may contain searches of the gateway. @param raw its body */
export function mayContainSearches(raw: Buffer): boolean {
  return raw.includes(ownId.anthropic) || raw.includes(ownId["openai-responses"]);
}

/**
 * Returns the conversation with the gateway's earlier searches as calls of a function and their results; without `name`, the
 * conversation without them. No provider knows them in the form in which their client has them.
 * @param name the function
 * @param textOf returns the text of a result for the model
 */
export function withSearchCalls(
  { messages }: Pick<ChatRequest, "messages">,
  name: string | undefined,
  textOf: (result: ShownSearch["result"]) => string,
): Message[] {
  return messages.flatMap((message) => {
    if (!message.parts.some(isOwnSearch)) return [message];
    const next: Message[] = [];
    let parts: Part[] = [];
    const flush = (role: Message["role"]) => {
      if (parts.length > 0) next.push({ ...message, role, parts });
      parts = [];
    };
    for (const part of message.parts) {
      if (!isOwnSearch(part)) {
        parts.push(withoutOwnCitations(part));
        continue;
      }
      if (name === undefined) continue;
      const { fields } = part.extra;
      if (fields["type"] === "server_tool_use") {
        const id = String(fields["id"]);
        parts.push({ type: "tool-call", id, name, input: JSON.stringify(asRecord(fields["input"]) ?? {}) });
      } else if (fields["type"] === "web_search_tool_result") {
        flush(message.role);
        const text = textOf(resultIn(fields["content"]));
        const callId = String(fields["tool_use_id"]);
        parts.push({ type: "tool-result", callId, name, parts: [{ type: "text", text }] });
        flush("tool");
      }
    }
    flush(message.role);
    return next;
  });
}

function isOwnSearch(part: Part): part is Extract<Part, { type: "foreign" }> {
  if (part.type !== "foreign") return false;
  const own = ownFields("anthropic", part.extra) ?? ownFields("openai-responses", part.extra);
  const id = own?.["tool_use_id"] ?? own?.["id"];
  return typeof id === "string" && Object.values(ownId).some((prefix) => id.startsWith(prefix));
}

/** Citations of the gateway's searches prove nothing to a provider. */
function withoutOwnCitations(part: Part): Part {
  if (part.type !== "text" || part.citations === undefined) return part;
  const { citations: _own, ...text } = part;
  return text;
}

function resultIn(content: unknown): ShownSearch["result"] {
  if (!Array.isArray(content)) return { error: "unavailable" };
  const pages = content.flatMap((each) => {
    const { url, title, encrypted_content: packed } = asRecord(each) ?? {};
    if (typeof url !== "string" || typeof packed !== "string") return [];
    const { excerpt, date } = parseRecord(Buffer.from(packed, "base64").toString("utf8")) ?? {};
    const text = (value: unknown) => (typeof value === "string" ? value : "");
    return [{ url, title: text(title), excerpt: text(excerpt), date: text(date) }];
  });
  return { pages };
}
