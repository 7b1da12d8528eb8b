import { setTimeout as sleep } from "node:timers/promises";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { Transporter } from "nodemailer";
import { GatewayError, upstreamFailed } from "#errors.ts";

/**
 * Connection to the mail server. This module knows neither the contents of a mail nor why it is sent. A
 * changed account is used from the next mail on.
 */
export interface MailAccount {
  host: string;
  port: number;
  /** "" means that the server requires no authentication. */
  user: string;
  password: string;
  /** Address and display name of the sender. */
  from: string;
  fromName: string;
  requireTls: boolean;
}

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /**
   * Resolves when the server has accepted the mail. Throws `upstream_failed` with a message for the
   * administrator.
   */
  send(mail: Mail): Promise<void>;
  /** Returns at once, so that the response time does not reveal whether there was anything to send. */
  post(mail: Mail): void;
  /** Waits for the mails that are being sent. */
  close(): Promise<void>;
}

/** Time limit of each step, in milliseconds. A user may be waiting for the response. */
const STEP_MS = 8_000;
const ANSWER_MS = 15_000;
const MOST_WAITING = 1_000;
const TRIES = 3;

/** Loads the library with the first mail, because many gateways send none. */
const library = () => import("nodemailer");

/** @param account returns the current account; undefined while none is set up */
export function createMailer(
  account: () => MailAccount | undefined,
  onError: (error: unknown) => void,
  pauseMs = 5_000,
): Mailer {
  let open: { key: string; transport: Transporter } | undefined;
  const waiting = new Set<Promise<void>>();
  const leaving = new AbortController();

  async function transportFor(current: MailAccount): Promise<Transporter> {
    const key = JSON.stringify(current);
    const { createTransport } = await library();
    if (open?.key === key) return open.transport;
    open?.transport.close();
    const transport = createTransport({ ...connectionTo(current), pool: true, maxConnections: 2 });
    open = { key, transport };
    return transport;
  }

  async function send(mail: Mail): Promise<void> {
    const current = account();
    if (current === undefined) throw new GatewayError("upstream_failed", { reason: "mail_server_missing" });
    try {
      const transport = await transportFor(current);
      await transport.sendMail({
        from: { name: current.fromName, address: current.from },
        to: { name: "", address: mail.to },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        headers: { "auto-submitted": "auto-generated" },
      });
    } catch (error) {
      throw explainError(error);
    }
  }

  async function persist(mail: Mail): Promise<void> {
    for (let round = 1; ; round += 1) {
      try {
        return await send(mail);
      } catch (error) {
        if (round === TRIES || leaving.signal.aborted) return onError(error);
        await sleep(pauseMs * round, undefined, { signal: leaving.signal }).catch(() => undefined);
      }
    }
  }

  return {
    send,
    post(mail) {
      if (waiting.size >= MOST_WAITING) {
        onError(new Error(`More than ${MOST_WAITING} mails wait for the mail server; one was dropped.`));
        return;
      }
      const sending = persist(mail).finally(() => waiting.delete(sending));
      waiting.add(sending);
    },
    async close() {
      leaving.abort();
      await Promise.all(waiting);
      open?.transport.close();
    },
  };
}

/**
 * Calls `send` for each item, one after the other. An address that the mail server refuses does not keep the
 * mails of others back: its error is thrown after the last item. Any other error ends the run at once.
 */
export async function sendEach<T>(items: readonly T[], send: (item: T) => Promise<void>): Promise<void> {
  let refused: unknown;
  for (const item of items)
    try {
      await send(item);
    } catch (error) {
      if (!isAddressRefused(error)) throw error;
      refused ??= error;
    }
  if (refused !== undefined) throw refused as Error;
}

function isAddressRefused(error: unknown): boolean {
  return error instanceof GatewayError && error.params["reason"] === addressRefused;
}

/** Connects to the mail server and signs in, without sending a mail. Returns why that fails. */
export async function greetMailServer(account: MailAccount): Promise<GatewayError | undefined> {
  const { createTransport } = await library();
  const transport = createTransport(connectionTo(account));
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    return explainError(error);
  } finally {
    transport.close();
  }
}

function connectionTo(account: MailAccount) {
  return {
    host: account.host,
    port: account.port,
    secure: account.port === 465,
    requireTLS: account.requireTls && account.port !== 465,
    ...(account.user === "" ? {} : { auth: { user: account.user, pass: account.password } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: ANSWER_MS,
    dnsTimeout: STEP_MS,
    // A mail contains only what it is given, never a file or a URL that this machine can read.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const addressRefused = "mail_address_refused";

type MailReason =
  | "mail_account_refused"
  | "mail_server_unknown"
  | "mail_server_unreachable"
  | "mail_server_timeout"
  | "mail_server_encryption"
  | typeof addressRefused
  | "mail_failed";

const reasons = lookupTable<MailReason>({
  EAUTH: "mail_account_refused",
  ENOAUTH: "mail_account_refused",
  EDNS: "mail_server_unknown",
  ECONNECTION: "mail_server_unreachable",
  ESOCKET: "mail_server_unreachable",
  ETIMEDOUT: "mail_server_timeout",
  ETLS: "mail_server_encryption",
  EENVELOPE: addressRefused,
});

/** Includes the server's own message: without it an administrator cannot correct the settings. */
function explainError(error: unknown): GatewayError {
  const facts = error instanceof Error ? (error as Error & { code?: string; response?: string }) : undefined;
  const reason = reasons[facts?.code ?? ""] ?? "mail_failed";
  const detail = facts?.response === undefined ? "" : ` (${facts.response.slice(0, 200)})`;
  return upstreamFailed({ reason, detail }, { cause: error });
}
