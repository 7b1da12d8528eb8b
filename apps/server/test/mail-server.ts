import type { AddressInfo } from "node:net";
import type { Settings } from "@gateway/shared/site/settings";
import { SMTPServer } from "smtp-server";

/** A mail server on this machine that records received mails. */
export interface MailServer {
  /** Settings for sending through it. */
  settings: Pick<Settings, "SMTPServer" | "SMTPPort" | "SMTPAccount" | "SMTPToken" | "SMTPRequireTLS">;
  /** Oldest first. */
  mails: ReceivedMail[];
  /** Rejects mails while true. */
  full: boolean;
  /** Addresses that it does not know, and always rejects. */
  unknown: Set<string>;
  /** Returns the next mail to this address, or the newest that arrived since the last call. */
  take(to: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

export interface ReceivedMail {
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
}

const account = { user: "gateway@example.com", password: "mail password" };

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const taken = new Set<ReceivedMail>();
  const unknown = new Set<string>();
  const state = { full: false };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      if (username === account.user && password === account.password) done(null, { user: username });
      else done(new Error("Authentication failed"));
    },
    onRcptTo({ address }, _session, done) {
      if (unknown.has(address)) done(Object.assign(new Error("No such user"), { responseCode: 550 }));
      else done(state.full ? Object.assign(new Error("Mailbox full"), { responseCode: 552 }) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("utf8");
        for (const { address } of session.envelope.rcptTo) mails.push(readMail(raw, address));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    settings: {
      SMTPServer: "127.0.0.1",
      SMTPPort: port,
      SMTPAccount: account.user,
      SMTPToken: account.password,
      SMTPRequireTLS: false,
    },
    mails,
    unknown,
    get full() {
      return state.full;
    },
    set full(full: boolean) {
      state.full = full;
    },
    async take(to) {
      const until = Date.now() + 10_000;
      while (true) {
        const found = mails.findLast((mail) => mail.to === to && !taken.has(mail));
        if (found !== undefined) {
          taken.add(found);
          return found;
        }
        if (Date.now() > until) throw new Error(`No mail came for ${to}.`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function readMail(raw: string, to: string): ReceivedMail {
  const [head = ""] = raw.split("\r\n\r\n");
  const headers = head.replaceAll(/\r\n[ \t]+/g, " ");
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(headers)?.[1] ?? "";
  return {
    to,
    from: words(header("From")),
    subject: words(header("Subject")),
    text: part(raw, "text/plain"),
    html: part(raw, "text/html"),
  };
}

/** RFC 2047. */
function words(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, kind: string, body: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(body, "base64").toString("utf8")
        : quotedPrintable(body.replaceAll("_", " ")),
    );
}

function part(raw: string, type: string): string {
  const at = raw.indexOf(`Content-Type: ${type}`);
  const head = raw.slice(at, raw.indexOf("\r\n\r\n", at));
  const body = raw.slice(raw.indexOf("\r\n\r\n", at) + 4).split(/\r\n--/)[0] ?? "";
  if (/base64/i.test(head)) return Buffer.from(body, "base64").toString("utf8");
  return /quoted-printable/i.test(head) ? quotedPrintable(body) : body;
}

function quotedPrintable(body: string): string {
  const bytes = body
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
