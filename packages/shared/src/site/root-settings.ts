/** Prefixes of settings that affect sign-in, or the target of links and mails of this site. */
const takeover = /^(GitHub|Lark|WeChat|OIDC|SMTP|TelegramBot|ServerAddress$)/;

/**
 * Returns whether only root may change a setting. An administrator could use these to take over the root
 * account.
 */
export function isRootSetting(key: string): boolean {
  return takeover.test(key);
}
