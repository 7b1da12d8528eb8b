/** Checks of the addresses to which sign-ins and payments return. */
import { notifyUrlOf } from "#domain/payments/gateways.ts";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import { identityProviders } from "#sign-in/index.ts";
import { isAvailable } from "#sign-in/provider.ts";
import { ok, type Subject, warning } from "./finding.ts";

async function siteUrl({ env, settings }: Subject): Promise<string | undefined> {
  return publicUrlOf(await settings(), env.basePath === "" ? "" : `/${env.basePath}`);
}

export async function signInAddresses(subject: Subject) {
  const [settings, base] = await Promise.all([subject.settings(), siteUrl(subject)]);
  const offered = Object.values(identityProviders).filter((provider) => isAvailable(provider, settings));
  // Nothing returns from WeChat: the user types a code.
  const returning = offered.filter(({ id }) => id !== "wechat");
  if (returning.length === 0) return ok("callbacks_unused");
  return returning.flatMap(({ id, label: provider }) =>
    base === undefined
      ? warning("callback_missing", { provider })
      : ok("callback_address", { provider, address: `${base}/oauth/${id}` }),
  );
}

const mostGateways = 100;

export async function paymentAddresses(subject: Subject) {
  const rows = await subject.database.db.paymentGateway.findMany({
    where: { enable: true, deleted_at: null },
    select: { uuid: true, name: true, notify_domain: true },
    orderBy: { id: "asc" },
    take: mostGateways,
  });
  if (rows.length === 0) return ok("payments_unused");
  const base = (await siteUrl(subject)) ?? "";
  return rows.flatMap((row) => {
    const address = notifyUrlOf(row, base);
    const params = { payment: row.name, address };
    if (address === "") return warning("payment_address_missing", { payment: row.name });
    return address === notifyUrlOf({ ...row, notify_domain: "" }, base)
      ? ok("payment_address", params)
      : warning("payment_address_other", params);
  });
}
