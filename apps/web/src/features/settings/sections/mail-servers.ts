/** Servers of known mail services. */

type MailServer = { SMTPServer: string; SMTPPort: number };

const [tls, startTls] = [{ SMTPPort: 465 }, { SMTPPort: 587 }];

/** Servers with their ports. */
export const mailServers = {
  "smtp.gmail.com": tls,
  "smtp.office365.com": startTls,
  "smtp-mail.outlook.com": startTls,
  "smtp.mail.yahoo.com": tls,
  "email-smtp.us-east-1.amazonaws.com": startTls,
  "smtp.sendgrid.net": tls,
  "smtp.mailgun.org": tls,
  "smtp.resend.com": tls,
  "smtp.postmarkapp.com": startTls,
  "smtp-relay.brevo.com": startTls,
  "smtp.zoho.com": tls,
  "smtp.fastmail.com": tls,
  "smtp.mail.me.com": startTls,
  "mail.gmx.net": startTls,
  "smtp.yandex.com": tls,
  "smtp.qq.com": tls,
  "smtp.exmail.qq.com": tls,
  "smtp.163.com": tls,
  "smtp.126.com": tls,
  "smtp.yeah.net": tls,
  "smtpdm.aliyun.com": tls,
  "smtp.feishu.cn": tls,
} as const;

/** Server of the addresses of a domain. */
const byDomain = new Map<string, keyof typeof mailServers>([
  ["gmail.com", "smtp.gmail.com"],
  ["googlemail.com", "smtp.gmail.com"],
  ["outlook.com", "smtp-mail.outlook.com"],
  ["hotmail.com", "smtp-mail.outlook.com"],
  ["live.com", "smtp-mail.outlook.com"],
  ["onmicrosoft.com", "smtp.office365.com"],
  ["yahoo.com", "smtp.mail.yahoo.com"],
  ["zoho.com", "smtp.zoho.com"],
  ["fastmail.com", "smtp.fastmail.com"],
  ["icloud.com", "smtp.mail.me.com"],
  ["me.com", "smtp.mail.me.com"],
  ["gmx.net", "mail.gmx.net"],
  ["gmx.de", "mail.gmx.net"],
  ["yandex.com", "smtp.yandex.com"],
  ["yandex.ru", "smtp.yandex.com"],
  ["qq.com", "smtp.qq.com"],
  ["foxmail.com", "smtp.qq.com"],
  ["163.com", "smtp.163.com"],
  ["126.com", "smtp.126.com"],
  ["yeah.net", "smtp.yeah.net"],
]);

/** Returns the server for an account that is an email address of a known service. */
export function mailServerOf(account: string): MailServer | undefined {
  const domain = account.trim().toLowerCase().split("@")[1] ?? "";
  const server = byDomain.get(domain.endsWith(".onmicrosoft.com") ? "onmicrosoft.com" : domain);
  return server === undefined ? undefined : { SMTPServer: server, ...mailServers[server] };
}

/** Returns the addresses that a begun one may become: its domain is that of a known service. */
export function mailAddressesOf(typed: string): string[] {
  const [, name = "", begun = ""] = /^([^\s@]+)@([^\s@]+)$/.exec(typed) ?? [];
  if (name === "") return [];
  const fits = (domain: string) => domain !== begun.toLowerCase() && domain.startsWith(begun.toLowerCase());
  return [...byDomain.keys()]
    .filter((domain) => fits(domain) && domain !== "onmicrosoft.com")
    .map((domain) => `${name}@${domain}`);
}
