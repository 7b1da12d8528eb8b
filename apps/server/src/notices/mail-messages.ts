import type { Language } from "./language.ts";

/** Texts of our mails. */
interface MailMessages {
  code: { title: string; body(site: string, minutes: number): string };
  exists: { title: string; body(site: string): string };
  reset: {
    title: string;
    body(username: string, site: string, minutes: number): string;
    button: string;
    closing: string;
  };
  changed: { title: string; body(username: string, site: string, next: string): string };
  passwordChanged: { title: string; body(username: string, site: string): string };
  test: { title: string; body(site: string): string };
  balance: {
    title: string;
    body(username: string, site: string): string;
    left: string;
    threshold: string;
    button: string;
    closing: string;
  };
  budget: {
    title: Readonly<Record<"day" | "week" | "month", string>>;
    account(username: string, site: string): string;
    token(name: string, username: string, site: string): string;
    /** Only for a budget with a limit. */
    refused: string;
    spent: string;
    notify: string;
    limit: string;
    resets: string;
    button: string;
    closing: string;
  };
  /** Shown above the plain address of a button. */
  linkToo: string;
  ignore: string;
  notYou: string;
}

export const mailMessages: Readonly<Record<Language, MailMessages>> = {
  en_US: {
    code: {
      title: "Your verification code",
      body: (site, minutes) =>
        `Enter this code at ${site} to confirm your email address. It works once, for ${minutes} minutes.`,
    },
    exists: {
      title: "You already have an account",
      body: (site) =>
        `A sign-up was attempted at ${site} with this email address, but the address already has an account. Sign in to this account, or reset the password if you forgot it.`,
    },
    reset: {
      title: "Choose a new password",
      body: (username, site, minutes) =>
        `A password reset was requested for the account “${username}” at ${site}. The link works once, for ${minutes} minutes.`,
      button: "Choose a new password",
      closing: "If you did not request this, ignore this email. Your password stays unchanged.",
    },
    changed: {
      title: "Your email address was changed",
      body: (username, site, next) => `The account “${username}” at ${site} now uses the address ${next}.`,
    },
    passwordChanged: {
      title: "Your password was changed",
      body: (username, site) =>
        `The account “${username}” at ${site} has a new password, and all its devices were signed out.`,
    },
    test: {
      title: "The email settings work",
      body: (site) => `${site} can send email. This is the test that you requested in the settings.`,
    },
    balance: {
      title: "Your balance is running low",
      body: (username, site) =>
        `The balance of the account “${username}” at ${site} is almost used up. Calls are refused once it no longer covers them.`,
      left: "Balance",
      threshold: "Reminder below",
      button: "Top up",
      closing: "You receive this email once, until your balance has risen above the limit again.",
    },
    budget: {
      title: {
        day: "Today's spending has reached the notice amount",
        week: "This week's spending has reached the notice amount",
        month: "This month's spending has reached the notice amount",
      },
      account: (username, site) =>
        `The account “${username}” at ${site} has spent the amount at which its budget sends a notice.`,
      token: (name, username, site) =>
        `The API key “${name}” of the account “${username}” at ${site} has spent the amount at which its budget sends a notice.`,
      refused: "Calls are refused when the limit is reached, until the period ends.",
      spent: "Spent",
      notify: "Notice at",
      limit: "Limit",
      resets: "Period ends",
      button: "Show usage",
      closing: "You receive this email once per period.",
    },
    linkToo: "If the button does not work, open this address:",
    ignore: "If this was not you, ignore this email.",
    notYou: "If this was not you, contact the operator of the site immediately.",
  },
  zh_CN: {
    code: {
      title: "你的验证码",
      body: (site, minutes) =>
        `请在 ${site} 输入下面的验证码以确认你的邮箱。验证码仅可使用一次，${minutes} 分钟内有效。`,
    },
    exists: {
      title: "你已经有账号了",
      body: (site) =>
        `有人想用这个邮箱在 ${site} 注册，但它已经属于一个账号。请直接登录；忘记密码时可以重置密码。`,
    },
    reset: {
      title: "设置新密码",
      body: (username, site, minutes) =>
        `我们收到了为 ${site} 账号“${username}”重置密码的请求。链接仅可使用一次，${minutes} 分钟内有效。`,
      button: "设置新密码",
      closing: "如果不是你本人操作，无需理会，密码不会改变。",
    },
    changed: {
      title: "你的邮箱已更换",
      body: (username, site, next) => `${site} 账号“${username}”的邮箱已更换为 ${next}。`,
    },
    passwordChanged: {
      title: "你的密码已更改",
      body: (username, site) => `${site} 账号“${username}”已设置新密码，所有设备均已退出登录。`,
    },
    test: {
      title: "邮件设置可用",
      body: (site) => `${site} 已能发送邮件。这是你在设置中请求的测试邮件。`,
    },
    balance: {
      title: "你的余额即将用完",
      body: (username, site) => `${site} 账号“${username}”的余额即将用完。余额不足时，请求将被拒绝。`,
      left: "当前余额",
      threshold: "提醒阈值",
      button: "前往充值",
      closing: "在余额重新高于阈值之前，不会再次发送此提醒。",
    },
    budget: {
      title: {
        day: "今日消费已达到提醒金额",
        week: "本周消费已达到提醒金额",
        month: "本月消费已达到提醒金额",
      },
      account: (username, site) => `${site} 账号“${username}”的消费已达到预算的提醒金额。`,
      token: (name, username, site) =>
        `${site} 账号“${username}”的 API 密钥“${name}”的消费已达到预算的提醒金额。`,
      refused: "达到上限后，请求将被拒绝，直到本周期结束。",
      spent: "已消费",
      notify: "提醒金额",
      limit: "上限",
      resets: "周期结束",
      button: "查看用量",
      closing: "此邮件每个周期只发送一次。",
    },
    linkToo: "如果按钮没有反应，请打开这个地址：",
    ignore: "如果不是你本人操作，请忽略这封邮件。",
    notYou: "如果不是你本人操作，请立即联系站点管理员。",
  },
  zh_HK: {
    code: {
      title: "你的驗證碼",
      body: (site, minutes) =>
        `請在 ${site} 輸入以下驗證碼以確認你的電郵地址。驗證碼只可使用一次，${minutes} 分鐘內有效。`,
    },
    exists: {
      title: "你已有帳戶",
      body: (site) =>
        `有人嘗試以這個電郵地址在 ${site} 註冊，但它已屬於一個帳戶。請直接登入；如忘記密碼，可重設密碼。`,
    },
    reset: {
      title: "設定新密碼",
      body: (username, site, minutes) =>
        `我們收到為 ${site} 帳戶「${username}」重設密碼的要求。連結只可使用一次，${minutes} 分鐘內有效。`,
      button: "設定新密碼",
      closing: "如非你本人操作，毋須理會，密碼不會改變。",
    },
    changed: {
      title: "你的電郵地址已更改",
      body: (username, site, next) => `${site} 帳戶「${username}」的電郵地址已改為 ${next}。`,
    },
    passwordChanged: {
      title: "你的密碼已更改",
      body: (username, site) => `${site} 帳戶「${username}」已設定新密碼，所有裝置均已登出。`,
    },
    test: {
      title: "電郵設定正常",
      body: (site) => `${site} 已可發送電郵。這是你在設定中要求的測試電郵。`,
    },
    balance: {
      title: "你的結餘即將用完",
      body: (username, site) => `${site} 帳戶「${username}」的結餘即將用完。結餘不足時，請求會被拒絕。`,
      left: "目前結餘",
      threshold: "提醒界線",
      button: "前往增值",
      closing: "在結餘重新高於界線之前，不會再發出此提醒。",
    },
    budget: {
      title: {
        day: "今日消費已達提醒金額",
        week: "本週消費已達提醒金額",
        month: "本月消費已達提醒金額",
      },
      account: (username, site) => `${site} 帳戶「${username}」的消費已達預算的提醒金額。`,
      token: (name, username, site) =>
        `${site} 帳戶「${username}」的 API 金鑰「${name}」的消費已達預算的提醒金額。`,
      refused: "達到上限後，請求會被拒絕，直至本週期結束。",
      spent: "已消費",
      notify: "提醒金額",
      limit: "上限",
      resets: "週期結束",
      button: "查看用量",
      closing: "此電郵每個週期只發送一次。",
    },
    linkToo: "如按鈕沒有反應，請開啟這個網址：",
    ignore: "如非你本人操作，請忽略這封電郵。",
    notYou: "如非你本人操作，請立即聯絡網站管理員。",
  },
  ja_JP: {
    code: {
      title: "確認コード",
      body: (site, minutes) =>
        `メールアドレスの確認のため、${site} で次のコードを入力してください。コードは 1 回限り、${minutes} 分間有効です。`,
    },
    exists: {
      title: "アカウントはすでにあります",
      body: (site) =>
        `このメールアドレスで ${site} への登録が試みられましたが、すでにアカウントがあります。そのままログインするか、パスワードをお忘れの場合は再設定してください。`,
    },
    reset: {
      title: "新しいパスワードの設定",
      body: (username, site, minutes) =>
        `${site} のアカウント「${username}」について、パスワードの再設定が求められました。リンクは 1 回限り、${minutes} 分間有効です。`,
      button: "新しいパスワードを設定",
      closing: "お心当たりがない場合は何もする必要はありません。パスワードはそのままです。",
    },
    changed: {
      title: "メールアドレスが変更されました",
      body: (username, site, next) =>
        `${site} のアカウント「${username}」のメールアドレスは ${next} に変更されました。`,
    },
    passwordChanged: {
      title: "パスワードが変更されました",
      body: (username, site) =>
        `${site} のアカウント「${username}」に新しいパスワードが設定され、すべての端末からログアウトしました。`,
    },
    test: {
      title: "メール設定は正常です",
      body: (site) => `${site} からメールを送信できます。設定画面から依頼されたテストメールです。`,
    },
    balance: {
      title: "残高が少なくなっています",
      body: (username, site) =>
        `${site} のアカウント「${username}」の残高が残りわずかです。残高が足りなくなると、リクエストは拒否されます。`,
      left: "残高",
      threshold: "通知する残高",
      button: "チャージする",
      closing: "残高が再びこの金額を上回るまで、このメールは送信されません。",
    },
    budget: {
      title: {
        day: "本日の利用額が通知額に達しました",
        week: "今週の利用額が通知額に達しました",
        month: "今月の利用額が通知額に達しました",
      },
      account: (username, site) =>
        `${site} のアカウント「${username}」の利用額が、予算の通知額に達しました。`,
      token: (name, username, site) =>
        `${site} のアカウント「${username}」の API キー「${name}」の利用額が、予算の通知額に達しました。`,
      refused: "上限に達すると、期間が終わるまでリクエストは拒否されます。",
      spent: "利用額",
      notify: "通知額",
      limit: "上限",
      resets: "期間の終わり",
      button: "利用状況を見る",
      closing: "このメールは期間ごとに 1 回だけ送信されます。",
    },
    linkToo: "ボタンが動作しない場合は、次のアドレスを開いてください：",
    ignore: "お心当たりがない場合は、このメールを無視してください。",
    notYou: "お心当たりがない場合は、すぐにサイトの管理者へご連絡ください。",
  },
};
