import i18next from "i18next";
import { beforeAll, expect, it } from "vitest";
import { loadErrorTexts } from "#lib/errors/late-errors.ts";
import { messagesOf } from "#lib/locale-files.ts";
import { failureText } from "./failure-text.ts";

beforeAll(async () => {
  const errors = messagesOf("zh_CN", "errors");
  const lost = { "The connection was lost before the response was complete.": "连接中断" };
  await i18next.init({
    lng: "zh_CN",
    resources: { zh_CN: { translation: { ...errors, ...lost } } },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
  });
  await loadErrorTexts();
});

const shown = (code: string, params = {}, error = "English") =>
  failureText({ error, code, params }, i18next.t);

it("playground: shows a gateway error in the user's language", () => {
  expect(shown("upstream_rate_limited", { reason: "provider_busy" })).toBe(
    "厂商收到的请求过多，请稍后再试。",
  );
  expect(shown("no_channel", { model: "m" })).toBe("目前没有渠道可以提供模型“m”，请稍后再试。");
  const rate = { reason: "account_requests_per_minute", limit: 60 };
  expect(shown("rate_limit_exceeded", rate)).toBe("此账号每分钟最多发送 60 个请求。");
});

it("playground: shows a provider's message unchanged", () => {
  const message = "max_tokens is too large";
  expect(shown("upstream_refused", { reason: "provider_message", message })).toBe(message);
});

it("playground: shows the English message of an unknown code", () => {
  expect(shown("from_a_later_version", {}, "Something new. (request id: 01a1)")).toBe(
    "Something new. (request id: 01a1)",
  );
});

it("playground: reports a broken connection", () => {
  expect(shown("", {}, "")).toBe("连接中断");
});
