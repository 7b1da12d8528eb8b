import type { Settings } from "@gateway/shared/site/settings";

/** The built-in texts of the bot. */
export interface BotMessages {
  /** Descriptions that Telegram shows for the built-in commands. */
  commands: Record<"bind" | "unbind" | "balance" | "recharge" | "apikey" | "aff", string>;
  welcome(site: string): string;
  howToBind(site: string): string;
  wrongCode: string;
  bound(username: string, site: string): string;
  boundAlready: string;
  unbound: string;
  notBound: string;
  balance(left: string, used: string): string;
  howToRecharge: string;
  recharged(added: string, left: string): string;
  codeUnknown: string;
  /** The code was redeemed, disabled, or has expired. */
  codeSpent: string;
  tooManyCodes: string;
  /** First line of a list of API keys. */
  keys(page: number, pages: number): string;
  noKeys: string;
  /** By `TokenStatus`, for keys that do not work. */
  tokenStates: Readonly<Record<number, string>>;
  previous: string;
  next: string;
  /** `link` is undefined if the site's address is not configured. */
  invitation(facts: { code: string; link: string | undefined; invited: number; earned: string }): string;
  /** Reply in a group, where other members would read the answer. */
  inPrivate: string;
}

export const botMessages: Readonly<Record<Settings["Language"], BotMessages>> = {
  en_US: {
    commands: {
      bind: "Link your account",
      unbind: "Unlink your account",
      balance: "Show your balance",
      recharge: "Redeem a code",
      apikey: "List your API keys",
      aff: "Invite people",
    },
    welcome: (site) => `This is the bot of ${site}. You can use these commands:`,
    howToBind: (site) =>
      `Open your profile at ${site}, choose Telegram under Security, and send me the code shown there: /bind CODE`,
    wrongCode: "This code is wrong or has expired. Your profile shows a new one.",
    bound: (username, site) => `Done. You are ${username} at ${site}.`,
    boundAlready:
      "This Telegram account or your account there is already linked. Unlink it first with /unbind or in your profile.",
    unbound: "Your account is no longer linked.",
    notBound: "No account is linked to this Telegram account. Send /bind to see how to link one.",
    balance: (left, used) => `Balance: ${left}\nUsed: ${used}`,
    howToRecharge: "Reply with your redemption code, or send /recharge CODE.",
    recharged: (added, left) => `Done. ${added} added.\nBalance: ${left}`,
    codeUnknown: "This redemption code is not valid. Check it and try again.",
    codeSpent: "This redemption code was already used or has expired.",
    tooManyCodes: "Too many codes. Wait 15 minutes and try again.",
    keys: (page, pages) => (pages === 1 ? "Your API keys:" : `Your API keys, page ${page} of ${pages}:`),
    noKeys: "You have no API keys yet. Create one in the console under Tokens.",
    tokenStates: { 2: "disabled", 3: "expired", 4: "quota used up" },
    previous: "Previous",
    next: "Next",
    invitation: ({ code, link, invited, earned }) =>
      `Invitation code: ${code}\n${link === undefined ? "" : `${link}\n`}People invited: ${invited}\nInvitation rewards: ${earned}`,
    inPrivate: "Send this command in a private chat with me.",
  },
  zh_CN: {
    commands: {
      bind: "绑定账号",
      unbind: "解除绑定",
      balance: "查询余额",
      recharge: "兑换码充值",
      apikey: "查看 API 密钥",
      aff: "邀请好友",
    },
    welcome: (site) => `我是 ${site} 的机器人，可以使用以下命令：`,
    howToBind: (site) =>
      `请在 ${site} 的“个人设置 → 安全”中绑定 Telegram，再把显示的绑定码发给我：/bind 绑定码`,
    wrongCode: "绑定码错误或已过期，请在个人设置中重新获取。",
    bound: (username, site) => `绑定成功，你在 ${site} 的用户名是 ${username}。`,
    boundAlready: "该 Telegram 账号或你的站点账号已绑定过，请先发送 /unbind 或在个人设置中解除绑定。",
    unbound: "已解除绑定。",
    notBound: "该 Telegram 账号尚未绑定，发送 /bind 查看绑定方法。",
    balance: (left, used) => `余额：${left}\n已用：${used}`,
    howToRecharge: "请回复你的兑换码，或发送：/recharge 兑换码",
    recharged: (added, left) => `充值成功，已增加 ${added}。\n余额：${left}`,
    codeUnknown: "兑换码无效，请检查后重试。",
    codeSpent: "该兑换码已被使用或已过期。",
    tooManyCodes: "尝试次数过多，请 15 分钟后再试。",
    keys: (page, pages) =>
      pages === 1 ? "你的 API 密钥：" : `你的 API 密钥，第 ${page} 页，共 ${pages} 页：`,
    noKeys: "你还没有 API 密钥，请在控制台的“令牌”页面创建。",
    tokenStates: { 2: "已禁用", 3: "已过期", 4: "额度已用尽" },
    previous: "上一页",
    next: "下一页",
    invitation: ({ code, link, invited, earned }) =>
      `邀请码：${code}\n${link === undefined ? "" : `${link}\n`}已邀请：${invited} 人\n邀请收益：${earned}`,
    inPrivate: "请私聊我使用该命令。",
  },
  zh_HK: {
    commands: {
      bind: "綁定帳戶",
      unbind: "解除綁定",
      balance: "查詢結餘",
      recharge: "使用兌換碼增值",
      apikey: "查看 API 密鑰",
      aff: "邀請朋友",
    },
    welcome: (site) => `我是 ${site} 的機械人，可使用以下指令：`,
    howToBind: (site) =>
      `請到 ${site} 的「個人資料 → 安全」綁定 Telegram，然後將顯示的代碼傳送給我：/bind 代碼`,
    wrongCode: "代碼不正確或已過期，請到個人資料重新取得。",
    bound: (username, site) => `綁定完成，你在 ${site} 的用戶名稱是 ${username}。`,
    boundAlready: "此 Telegram 帳戶或你的網站帳戶已綁定，請先傳送 /unbind，或在個人資料解除綁定。",
    unbound: "已解除綁定。",
    notBound: "此 Telegram 帳戶尚未綁定，傳送 /bind 查看方法。",
    balance: (left, used) => `結餘：${left}\n已用：${used}`,
    howToRecharge: "請回覆你的兌換碼，或傳送：/recharge 兌換碼",
    recharged: (added, left) => `增值完成，已加入 ${added}。\n結餘：${left}`,
    codeUnknown: "兌換碼無效，請檢查後再試。",
    codeSpent: "此兌換碼已被使用或已過期。",
    tooManyCodes: "嘗試次數過多，請 15 分鐘後再試。",
    keys: (page, pages) =>
      pages === 1 ? "你的 API 密鑰：" : `你的 API 密鑰，第 ${page} 頁，共 ${pages} 頁：`,
    noKeys: "你尚未有 API 密鑰，請在控制台的「令牌」頁面建立。",
    tokenStates: { 2: "已停用", 3: "已過期", 4: "額度已用完" },
    previous: "上一頁",
    next: "下一頁",
    invitation: ({ code, link, invited, earned }) =>
      `邀請碼：${code}\n${link === undefined ? "" : `${link}\n`}已邀請：${invited} 人\n邀請收益：${earned}`,
    inPrivate: "請以私人對話使用此指令。",
  },
  ja_JP: {
    commands: {
      bind: "アカウントを連携",
      unbind: "連携を解除",
      balance: "残高を表示",
      recharge: "引き換えコードでチャージ",
      apikey: "API キーを表示",
      aff: "友だちを招待",
    },
    welcome: (site) => `${site} のボットです。次のコマンドが使えます。`,
    howToBind: (site) =>
      `${site} の「プロフィール」→「セキュリティ」の Telegram で表示されるコードを送ってください：/bind コード`,
    wrongCode: "コードが正しくないか、有効期限が切れています。プロフィールで新しいコードを取得してください。",
    bound: (username, site) => `連携しました。${site} でのユーザー名は ${username} です。`,
    boundAlready:
      "この Telegram アカウント、またはサイトのアカウントはすでに連携されています。/unbind またはプロフィールで先に解除してください。",
    unbound: "連携を解除しました。",
    notBound: "この Telegram アカウントは連携されていません。方法は /bind で確認できます。",
    balance: (left, used) => `残高：${left}\n使用済み：${used}`,
    howToRecharge: "引き換えコードを返信するか、/recharge コード を送ってください。",
    recharged: (added, left) => `${added} をチャージしました。\n残高：${left}`,
    codeUnknown: "この引き換えコードは無効です。確認してもう一度お試しください。",
    codeSpent: "この引き換えコードは使用済みか、有効期限が切れています。",
    tooManyCodes: "試行回数が多すぎます。15 分後にもう一度お試しください。",
    keys: (page, pages) => (pages === 1 ? "API キー：" : `API キー（${page}/${pages} ページ）：`),
    noKeys: "API キーはまだありません。コンソールの「トークン」で作成してください。",
    tokenStates: { 2: "無効", 3: "期限切れ", 4: "上限に到達" },
    previous: "前へ",
    next: "次へ",
    invitation: ({ code, link, invited, earned }) =>
      `招待コード：${code}\n${link === undefined ? "" : `${link}\n`}招待した人数：${invited}\n招待による獲得：${earned}`,
    inPrivate: "このコマンドは個別のチャットで使ってください。",
  },
};
