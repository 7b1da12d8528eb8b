/** Checks of mail, prices and the keys of providers. */
import { unpricedModels } from "#domain/pricing/unpriced-models.ts";
import { mailAccount } from "#domain/settings/mail-account.ts";
import { greetMailServer } from "#platform/mail.ts";
import { ok, problem, type Subject, warning } from "./finding.ts";

export async function mail({ settings }: Subject) {
  const current = await settings();
  const account = mailAccount(current);
  if (account === undefined) return warning("mail_unset");
  const fault = await greetMailServer(account);
  return fault === undefined
    ? ok("mail_accepted", { server: current.SMTPServer })
    : problem("mail_refused", { reason: fault.message }).map((found) => ({ ...found, cause: fault }));
}

const mostNamed = 10;

function named(names: readonly string[]): string {
  return `${names.slice(0, mostNamed).join(", ")}${names.length > mostNamed ? ", …" : ""}`;
}

export async function prices({ database: { db } }: Subject) {
  const missing = await unpricedModels(db, { status: 1 });
  return missing.length === 0
    ? ok("prices_complete")
    : warning("prices_missing", { models: named(missing), total: missing.length });
}

export async function providerKeys({ database: { db } }: Subject) {
  const [channels, keys] = await Promise.all([
    db.channel.findMany({
      where: { deleted_at: null, status: 3 },
      select: { id: true, name: true },
      orderBy: { id: "asc" },
    }),
    db.channelKey.count({ where: { status: 3, channel: { deleted_at: null } } }),
  ]);
  if (channels.length === 0 && keys === 0) return ok("keys_accepted");
  const names = channels.map(({ id, name }) => `${name} (#${id})`);
  return [
    ...(channels.length === 0
      ? []
      : warning("channels_disabled", { channels: named(names), total: channels.length })),
    ...(keys === 0 ? [] : warning("keys_disabled", { total: keys })),
  ];
}
