import type { NoticeChannelId } from "@gateway/shared/site/notice";
import type { Settings } from "@gateway/shared/site/settings";
import { type GatewayError, upstreamFailed } from "#errors.ts";
import type { RenderedMail } from "./letter.ts";

/**
 * Notification channels for operators, one record each: their settings and how a message is sent. This module
 * also formats our mails. It must never know what happened or whom it concerns; connections are passed in.
 */
export interface NoticeChannel {
  id: NoticeChannelId;
  label: string;
  /** The setting that enables it. */
  enabledBy: KeysOf<boolean>;
  /** Settings that must be filled in before it can be enabled. */
  needs: readonly KeysOf<string>[];
  /** The setting that lists the events it receives. */
  events: KeysOf<string>;
  /** Sends a message. Throws `upstream_failed` with the receiver's response. */
  send(message: NoticeMessage, settings: Settings, tools: Tools): Promise<void>;
}

type KeysOf<T> = { [K in keyof Settings]: Settings[K] extends T ? K : never }[keyof Settings];

export interface NoticeMessage {
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
  /** Posts JSON text to public addresses only. Returns the response of any status. */
  post(
    url: string,
    body: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string }>;
  mail(to: string, letter: RenderedMail): Promise<void>;
  /** Returns the addresses of the administrators, for use when the settings contain none. */
  operators(): Promise<string[]>;
  now(): number;
}

export function plainText({ site, title, text, siteUrl }: NoticeMessage): string {
  return [`[${site}] ${title}`, text, siteUrl].filter((line) => line !== "").join("\n");
}

export function deliveryError(label: string, text: string): GatewayError {
  const detail = text.trim().slice(0, 200);
  return detail === ""
    ? upstreamFailed({ reason: "notice_refused", channel: label })
    : upstreamFailed({ reason: "notice_refused_with", channel: label, detail });
}

/** Parses a response as an object; returns an empty one when it is none. */
export function answerOf(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Posts to a chat robot. Robots return 200 and report errors in the body. */
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
  throw deliveryError(label, typeof output === "string" ? output : `HTTP ${status}`);
}
