/**
 * Prefixes of settings that affect sign-in, the target of links and mails of this site, a private address that the
 * server calls, or where copies of data go.
 */
const takeover =
  /^(GitHub|Lark|WeChat|OIDC|SMTP|TelegramBot|WebSearch|Backup|LogExport|ReleaseCheck|ServerAddress$)/;

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
