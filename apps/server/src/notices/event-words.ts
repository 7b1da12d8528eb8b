import type { NoticeEvent } from "@gateway/shared/notice";
import type { Language } from "./language.ts";

/** What happened, in the operator's language. Values come from the database and may be anything. */
export type Facts = Readonly<Record<string, string>>;

interface EventWords {
  title(facts: Facts): string;
  /** Empty when the title says it all. */
  text(facts: Facts): string;
}

type Words = Record<NoticeEvent | "test", EventWords>;

const of = (facts: Facts, name: string) => facts[name] ?? "?";
const reason = (facts: Facts) => facts["reason"] ?? "";

export const eventWords: Readonly<Record<Language, Words>> = {
  en_US: {
    "channel-disabled": {
      title: (facts) => `Channel “${of(facts, "name")}” was switched off`,
      text: (facts) => `${reason(facts)} It is tested again every few minutes if that is switched on.`.trim(),
    },
    "channel-enabled": {
      title: (facts) => `Channel “${of(facts, "name")}” is back`,
      text: reason,
    },
    "job-failed": {
      title: (facts) => `The job “${of(facts, "job")}” failed`,
      text: reason,
    },
    "prices-failed": { title: () => "The price list could not be updated", text: reason },
    "payment-trouble": {
      title: (facts) => `Trouble with a payment through “${of(facts, "name")}”`,
      text: reason,
    },
    test: {
      title: () => "Notices arrive here",
      text: () => "This is the test you asked for in the settings.",
    },
  },
  zh_CN: {
    "channel-disabled": {
      title: (facts) => `渠道“${of(facts, "name")}”已被停用`,
      text: (facts) => `${reason(facts)} 若已开启自动恢复，系统会每隔几分钟重新测试。`.trim(),
    },
    "channel-enabled": { title: (facts) => `渠道“${of(facts, "name")}”已恢复`, text: reason },
    "job-failed": { title: (facts) => `任务“${of(facts, "job")}”执行失败`, text: reason },
    "prices-failed": { title: () => "价格表更新失败", text: reason },
    "payment-trouble": { title: (facts) => `“${of(facts, "name")}”的支付出现问题`, text: reason },
    test: { title: () => "通知可以送达", text: () => "这是你在设置中请求的测试通知。" },
  },
  zh_HK: {
    "channel-disabled": {
      title: (facts) => `渠道「${of(facts, "name")}」已被停用`,
      text: (facts) => `${reason(facts)} 如已開啟自動恢復，系統會每隔數分鐘重新測試。`.trim(),
    },
    "channel-enabled": { title: (facts) => `渠道「${of(facts, "name")}」已恢復`, text: reason },
    "job-failed": { title: (facts) => `工作「${of(facts, "job")}」執行失敗`, text: reason },
    "prices-failed": { title: () => "價目表更新失敗", text: reason },
    "payment-trouble": { title: (facts) => `「${of(facts, "name")}」的付款出現問題`, text: reason },
    test: { title: () => "通知可以送達", text: () => "這是你在設定中要求的測試通知。" },
  },
  ja_JP: {
    "channel-disabled": {
      title: (facts) => `チャネル「${of(facts, "name")}」が停止されました`,
      text: (facts) => `${reason(facts)} 自動復帰がオンの場合は、数分ごとに再テストされます。`.trim(),
    },
    "channel-enabled": { title: (facts) => `チャネル「${of(facts, "name")}」が復帰しました`, text: reason },
    "job-failed": { title: (facts) => `ジョブ「${of(facts, "job")}」が失敗しました`, text: reason },
    "prices-failed": { title: () => "価格表を更新できませんでした", text: reason },
    "payment-trouble": {
      title: (facts) => `「${of(facts, "name")}」の支払いで問題が発生しました`,
      text: reason,
    },
    test: { title: () => "通知が届きます", text: () => "設定画面から依頼されたテスト通知です。" },
  },
};
