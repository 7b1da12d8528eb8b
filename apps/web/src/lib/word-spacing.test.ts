import { createInstance } from "i18next";
import { describe, expect, it } from "vitest";
import { withoutExtraSpaces, withSpace, wordSpacing } from "./word-spacing.ts";

describe("spaces around inserted words", () => {
  it.each([
    ["已创建 令牌", { name: "令牌" }, "已创建令牌"],
    ["绑定 微信", { provider: "微信" }, "绑定微信"],
    ["将 张三 移出标签", { name: "张三" }, "将张三移出标签"],
    ["トークン を作成しました", { name: "トークン" }, "トークンを作成しました"],
  ])("%s", (text, values, wanted) => {
    expect(withoutExtraSpaces(text, values)).toBe(wanted);
  });

  it.each([
    ["已创建 Main", { name: "Main" }],
    ["更新于 5 分钟前", { time: "5 分钟前" }],
    ["启用 客户 甲", { name: "客户 甲", count: 2 }],
    ["已删除 3 个密钥", { count: 3 }],
    ["Created 令牌", { name: "令牌" }],
  ])("keeps the other spaces: %s", (text, values) => {
    expect(withoutExtraSpaces(text, values)).toBe(text);
  });

  it("applies to every message", async () => {
    const i18n = createInstance();
    // Another name than "t": these are no texts of the console.
    const translate = await i18n.use(wordSpacing).init({
      lng: "zh_CN",
      resources: { zh_CN: { translation: { "Link {{provider}}": "绑定 {{provider}}" } } },
      postProcess: wordSpacing.name,
    });
    expect(translate("Link {{provider}}", { provider: "微信" })).toBe("绑定微信");
    expect(translate("Link {{provider}}", { provider: "GitHub" })).toBe("绑定 GitHub");
  });
});

describe("the space before a link or a time", () => {
  it.each([
    ["No account yet?", "", "No account yet? "],
    ["Updated", "now", "Updated "],
    ["还没有账号？", "", "还没有账号？"],
    ["请使用你某个令牌的密钥。", "", "请使用你某个令牌的密钥。"],
    ["更新于", "现在", "更新于"],
    ["更新于", "5 分钟前", "更新于 "],
    ["更新:", "今", "更新: "],
  ])("%s %s", (text, next, wanted) => {
    expect(withSpace(text, next)).toBe(wanted);
  });
});
