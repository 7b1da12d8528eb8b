import type { NoticeChannelId } from "@gateway/shared/site/notice";
import type { Settings } from "@gateway/shared/site/settings";
import { type GatewayError, upstreamFailed } from "#errors.ts";
import type { Rendered } from "./letter.ts";

/**
 * Ways to tell operators something, one record each: which settings a way takes and how a message goes out. This room
 * also writes our mails. It must never know what happened, nor whom it concerns; connections are handed in.
 */
export interface NoticeChannel {
  id: NoticeChannelId;
  label: string;
  /** The switch in the settings. */
  enabledBy: KeysOf<boolean>;
  /** What must be filled in before the switch may be on. */
  needs: readonly KeysOf<string>[];
  /** The setting that lists the events it is told. */
  events: KeysOf<string>;
  /** Throws `upstream_failed` with what the receiver answered. */
  send(message: Message, settings: Settings, tools: Tools): Promise<void>;
}

type KeysOf<T> = { [K in keyof Settings]: Settings[K] extends T ? K : never }[keyof Settings];

export interface Message {
  event: string;
  title: string;
  text: string;
  time: Date;
  /** Name and address of this installation. */
  site: string;
  siteUrl: string;
  facts: Readonly<Record<string, string>>;
}

export interface Tools {
  /** Posts JSON text. Public addresses only; an answer of any status comes back. */
  post(
    url: string,
    body: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string }>;
  mail(to: string, letter: Rendered): Promise<void>;
  /** Addresses of those who run this installation, where the settings name none. */
  operators(): Promise<string[]>;
  now(): number;
}

export function plainText({ site, title, text, siteUrl }: Message): string {
  return [`[${site}] ${title}`, text, siteUrl].filter((line) => line !== "").join("\n");
}

export function refused(label: string, text: string): GatewayError {
  const detail = text.trim().slice(0, 200);
  return detail === ""
    ? upstreamFailed({ reason: "notice_refused", channel: label })
    : upstreamFailed({ reason: "notice_refused_with", channel: label, detail });
}

/** The answer as an object; an empty one when it is none. */
export function answerOf(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Robots answer 200 and put what they think into the body. */
export async function postToRobot(
  tools: Tools,
  label: string,
  url: string,
  body: object,
  verdict: { code: string; message: string },
): Promise<void> {
  const { status, text } = await tools.post(url, JSON.stringify(body));
  const answer = answerOf(text);
  if (status < 300 && answer[verdict.code] === 0) return;
  const output = answer[verdict.message];
  throw refused(label, typeof output === "string" ? output : `HTTP ${status}`);
}
