/**
 * Prefixes of settings that affect sign-in, the target of links and mails of this site, a private address that the
 * server calls, where copies of data go, or an address that receives a stored key.
 */
const takeover =
  /^(GitHub|Lark|WeChat|OIDC|SMTP|TelegramBot|WebSearch|Backup|LogExport|ReleaseCheck|ServerAddress$|NotifyTelegramServer$|NotifyPushDeerServer$)/;

/**
 * Returns whether only root may change a setting. An administrator could use these to take over the root
 * account.
 */
export function isRootSetting(key: string): boolean {
  return takeover.test(key);
}

/** Settings of what accounts are given, and of what a balance costs. */
const money = /^(QuotaFor|GiftsPerNetworkPerDay$|QuotaPerUnit$|PaymentUSDRate$|RechargeDiscount$)/;

/** Returns whether a setting decides about balances. An administrator could use it to get any balance. */
export function isBalanceSetting(key: string): boolean {
  return money.test(key);
}

/** Settings with which a list of prices replaces the current ones. */
const prices = /^(UpdatePriceService$|PriceUpdate)/;

/** Returns whether a setting decides about prices. An administrator could use it to set any price. */
export function isPriceSetting(key: string): boolean {
  return prices.test(key);
}
