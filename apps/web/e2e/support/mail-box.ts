import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** A mail server on this machine that accepts and stores all mails. */
export interface MailBox {
  port: number;
  /** Returns the text of the next mail to this address. */
  take(to: string): Promise<string>;
  close(): Promise<void>;
}

export async function openMailBox(): Promise<MailBox> {
  const mails: { to: string; text: string }[] = [];
  const server = createServer((socket) => {
    let rest = "";
    let to = "";
    let data: string[] | undefined;
    const say = (line: string) => socket.write(`${line}\r\n`);
    const hear = (line: string) => {
      if (data !== undefined) {
        if (line !== ".") return void data.push(line);
        mails.push({ to, text: textOf(data.join("\r\n")) });
        data = undefined;
        return say("250 kept");
      }
      const [verb = ""] = line.toUpperCase().split(/[ :]/);
      if (verb === "RCPT") to = /<([^>]*)>/.exec(line)?.[1] ?? "";
      if (verb === "DATA") data = [];
      if (verb === "QUIT") return void socket.end("221 bye\r\n");
      say(verb === "DATA" ? "354 go on" : "250 ok");
    };
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) hear(line);
    });
    say("220 here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async take(to) {
      const until = Date.now() + 10_000;
      while (Date.now() < until) {
        const at = mails.findIndex((mail) => mail.to === to);
        if (at >= 0) return mails.splice(at, 1)[0]!.text;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`No mail came for ${to}.`);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function textOf(raw: string): string {
  const at = raw.indexOf("Content-Type: text/plain");
  const head = raw.slice(at, raw.indexOf("\r\n\r\n", at));
  const body = raw.slice(raw.indexOf("\r\n\r\n", at) + 4).split("\r\n--")[0] ?? "";
  if (/base64/i.test(head)) return Buffer.from(body, "base64").toString("utf8");
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
