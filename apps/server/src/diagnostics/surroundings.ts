/** Checks of mail, prices and the keys of providers. */
import { parseKeyReference } from "@gateway/shared/channels/key-reference";
import { unpricedModels } from "#domain/pricing/unpriced-models.ts";
import { mailAccount } from "#domain/settings/mail-account.ts";
import { now } from "#platform/clock.ts";
import { createKeyReader } from "#platform/key-sources/read-key.ts";
import { greetMailServer } from "#platform/mail.ts";
import { tokenScope } from "#providers/provider.ts";
import { openProviders } from "#providers/registry.ts";
import { detailOf, ok, problem, type Subject, warning } from "./finding.ts";

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

function listNames(names: readonly string[]): string {
  return `${names.slice(0, mostNamed).join(", ")}${names.length > mostNamed ? ", …" : ""}`;
}

export async function prices({ database: { db } }: Subject) {
  const missing = await unpricedModels(db, { status: 1 });
  return missing.length === 0
    ? ok("prices_complete")
    : warning("prices_missing", { models: listNames(missing), total: missing.length });
}

export async function providerKeys(subject: Subject) {
  const { db } = subject.database;
  const [channels, keys] = await Promise.all([
    db.channel.findMany({
      where: { deleted_at: null, status: 3 },
      select: { id: true, name: true },
      orderBy: { id: "asc" },
    }),
    db.channelKey.count({ where: { status: 3, channel: { deleted_at: null } } }),
  ]);
  const unreadable = await unreadableKeys(subject);
  if (channels.length + keys + unreadable.length === 0) return ok("keys_accepted");
  const names = channels.map(({ id, name }) => `${name} (#${id})`);
  return [
    ...(unreadable.length === 0
      ? []
      : problem("keys_unreadable", { keys: listNames(unreadable), total: unreadable.length })),
    ...(channels.length === 0
      ? []
      : warning("channels_disabled", { channels: listNames(names), total: channels.length })),
    ...(keys === 0 ? [] : warning("keys_disabled", { total: keys })),
  ];
}

/** Reads every key that is stored elsewhere, and returns the references of those that cannot be read. */
async function unreadableKeys({ env, database: { db } }: Subject): Promise<string[]> {
  const rows = await db.channelKey.findMany({
    where: {
      reference: { not: null },
      status: { not: 2 },
      channel: { deleted_at: null, status: { not: 2 } },
    },
    select: { reference: true, channel: { select: { type: true } } },
    distinct: ["reference"],
    orderBy: { reference: "asc" },
  });
  const providers = openProviders();
  const reader = createKeyReader(env.keySources, { now });
  const found: string[] = [];
  const worker = async () => {
    for (let row = rows.shift(); row !== undefined; row = rows.shift()) {
      const text = row.reference ?? "";
      const reference = parseKeyReference(text);
      if (reference === undefined) continue;
      const provider = providers.get(row.channel.type);
      const scope = provider === undefined ? "" : tokenScope(provider);
      await reader
        .read(reference, scope)
        .catch((error: unknown) => found.push(`${text} (${detailOf(error)})`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found.toSorted();
}

const AT_ONCE = 8;
