import { lookupTable } from "@gateway/shared/lookup-table";
import type { ReadContext } from "#migration/products/product.ts";

/** Settings with another name here. */
const names = lookupTable<string>({
  "oidc.enabled": "OIDCAuthEnabled",
  "oidc.client_id": "OIDCClientId",
  "oidc.client_secret": "OIDCClientSecret",
  "oidc.well_known": "OIDCIssuer",
  AutomaticDisableKeywords: "DisableChannelKeywords",
  SensitiveWords: "SafeKeyWords",
  CheckSensitiveEnabled: "EnableSafe",
  MinTopUp: "PaymentMinAmount",
  Price: "PaymentUSDRate",
});

/** Options that become groups, prices or payment gateways. */
const handled =
  /^(ModelRatio|ModelPrice|CompletionRatio|CacheRatio|CreateCacheRatio|AudioRatio|AudioCompletionRatio|ImageRatio|GroupRatio|UserUsableGroups|ModelRequestRateLimit\w+|AutoGroups|EpayId|EpayKey|PayAddress|PayMethods|Stripe\w+|billing_setting\..+|group_ratio_setting\.group_special_usable_group|tool_price_setting\.prices|GroupGroupRatio|TopupGroupRatio)$/;

export function newApiSettings({ options }: ReadContext): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [key, value] of options) {
    if (handled.test(key)) continue;
    const name = names[key] ?? key;
    settings[name] =
      name === "OIDCIssuer" ? value.replace(/\/\.well-known\/openid-configuration\/?$/, "") : value;
  }
  return settings;
}
