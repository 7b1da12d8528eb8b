import { randomBytes } from "node:crypto";
import { type Json, asText } from "./answer/json.ts";
import { BadQuestion } from "./answer/question.ts";
import { type Reply, json } from "./exchange.ts";
import { readPrompt } from "./formats/gemini.ts";

/** Cached contents of Gemini, in memory only. */
const contents = new Map<string, Json>();
const MOST = 1_000;
const USUAL_SECONDS = 3_600;

type Run = (body: Json) => Reply | undefined;

const pathForm = /^\/v1beta\/(cachedContents\/[\w-]+)$/;

/** Returns the handler of an address of cached contents; undefined for other addresses. */
export function cachedContentAnswer(method: string, path: string): Run | undefined {
  if (path === "/v1beta/cachedContents" && method === "POST") return create;
  const [, name = ""] = pathForm.exec(path) ?? [];
  if (name === "") return undefined;
  if (method === "PATCH") return (body) => extend(name, body);
  if (method === "DELETE") return () => (contents.delete(name) ? json({}) : undefined);
  return method === "GET" ? () => replyOf(contents.get(name)) : undefined;
}

/** Returns the tokens of the content that a request names; 0 without one. */
export function tokensOfCachedContent(body: Json): number {
  const name = asText(body["cachedContent"]);
  if (name === "") return 0;
  const found = contents.get(name);
  if (found === undefined)
    throw new BadQuestion("CachedContent not found (or permission denied)", "cachedContent");
  return (found["usageMetadata"] as { totalTokenCount: number }).totalTokenCount;
}

function create(body: Json): Reply {
  const model = asText(body["model"]);
  const at = new Date().toISOString();
  const content = {
    name: `cachedContents/${randomBytes(12).toString("hex")}`,
    ...(asText(body["displayName"]) === "" ? {} : { displayName: body["displayName"] }),
    model,
    createTime: at,
    updateTime: at,
    expireTime: expiryOf(body),
    usageMetadata: { totalTokenCount: readPrompt(body, model).input },
  };
  if (contents.size >= MOST) contents.clear();
  contents.set(content.name, content);
  return json(content);
}

function extend(name: string, body: Json): Reply | undefined {
  const found = contents.get(name);
  if (found === undefined) return undefined;
  const content = { ...found, updateTime: new Date().toISOString(), expireTime: expiryOf(body) };
  contents.set(name, content);
  return json(content);
}

function expiryOf(body: Json): string {
  const seconds = Number.parseFloat(asText(body["ttl"])) || USUAL_SECONDS;
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

function replyOf(content: Json | undefined): Reply | undefined {
  return content === undefined ? undefined : json(content);
}
