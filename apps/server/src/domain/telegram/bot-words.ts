import type { Settings } from "@gateway/shared/settings";

/** What the bot says by itself. */
interface BotWords {
  /** What Telegram shows beside the bot's own commands. */
  commands: Record<"bind" | "unbind" | "balance", string>;
  welcome(site: string): string;
  howToBind(site: string): string;
  wrongCode: string;
  bound(username: string, site: string): string;
  boundAlready: string;
  unbound: string;
  notBound: string;
  balance(left: string, used: string): string;
  /** In a group, where everybody would read it. */
  inPrivate: string;
}

export const botWords: Readonly<Record<Settings["Language"], BotWords>> = {
  en_US: {
    commands: {
      bind: "Link your account",
      unbind: "Unlink your account",
      balance: "Show your balance",
    },
    welcome: (site) => `This is the bot of ${site}. It knows these commands:`,
    howToBind: (site) =>
      `Open your profile at ${site}, choose Telegram under Security, and send me the code shown there: /bind CODE`,
    wrongCode: "This code is wrong or has expired. Your profile shows a new one.",
    bound: (username, site) => `Done. You are ${username} at ${site}.`,
    boundAlready:
      "This Telegram account or your account there is linked already. Unlink it first with /unbind or in your profile.",
    unbound: "Your account is no longer linked.",
    notBound: "No account is linked to this Telegram account. /bind says how.",
    balance: (left, used) => `Balance: ${left}\nUsed: ${used}`,
    inPrivate: "Write to me in a private chat for that.",
  },
  zh_CN: {
    commands: { bind: "绑定账号", unbind: "解除绑定", balance: "查询余额" },
    welcome: (site) => `我是 ${site} 的机器人，可以使用以下命令：`,
    howToBind: (site) =>
      `请在 ${site} 的“个人设置 → 安全”中绑定 Telegram，再把显示的绑定码发给我：/bind 绑定码`,
    wrongCode: "绑定码错误或已过期，请在个人设置中重新获取。",
    bound: (username, site) => `绑定成功，您在 ${site} 的用户名是 ${username}。`,
    boundAlready: "该 Telegram 账号或您的站点账号已绑定过，请先发送 /unbind 或在个人设置中解除绑定。",
    unbound: "已解除绑定。",
    notBound: "该 Telegram 账号尚未绑定，发送 /bind 查看绑定方法。",
    balance: (left, used) => `余额：${left}\n已用：${used}`,
    inPrivate: "请私聊我使用该命令。",
  },
  zh_HK: {
    commands: { bind: "綁定帳戶", unbind: "解除綁定", balance: "查詢結餘" },
    welcome: (site) => `我是 ${site} 的機械人，可使用以下指令：`,
    howToBind: (site) =>
      `請到 ${site} 的「個人資料 → 安全」綁定 Telegram，然後將顯示的代碼傳送給我：/bind 代碼`,
    wrongCode: "代碼不正確或已過期，請到個人資料重新取得。",
    bound: (username, site) => `綁定完成，你在 ${site} 的用戶名稱是 ${username}。`,
    boundAlready: "此 Telegram 帳戶或你的網站帳戶已綁定，請先傳送 /unbind，或在個人資料解除綁定。",
    unbound: "已解除綁定。",
    notBound: "此 Telegram 帳戶尚未綁定，傳送 /bind 查看方法。",
    balance: (left, used) => `結餘：${left}\n已用：${used}`,
    inPrivate: "請以私人對話使用此指令。",
  },
  ja_JP: {
    commands: { bind: "アカウントを連携", unbind: "連携を解除", balance: "残高を表示" },
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
    inPrivate: "このコマンドは個別のチャットで使ってください。",
  },
};
