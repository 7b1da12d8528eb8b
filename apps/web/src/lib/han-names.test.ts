import { expect, it } from "vitest";
import { joinHanNames } from "./han-names.ts";

it.each([
  ["绑定 微信", ["微信"], "绑定微信"],
  ["绑定 GitHub", ["GitHub"], "绑定 GitHub"],
  ["将 张 三 设为管理员？", ["张 三"], "将张 三设为管理员？"],
  ["将 A组 移出标签", ["A组"], "将 A组移出标签"],
  ["微信 的余额", ["微信", 5, undefined], "微信的余额"],
  ["已禁用 (测试)", ["(测试)"], "已禁用 (测试)"],
  ["删除 渠道+？", ["渠道+"], "删除渠道+？"],
])("han names: %s", (text, names, joined) => {
  expect(joinHanNames(text, names)).toBe(joined);
});
