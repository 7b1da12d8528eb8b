import i18next from "i18next";
import { beforeAll, expect, it } from "vitest";
import { failureText } from "./failure-text.ts";

const upstream = "The upstream is receiving too many requests. Try again later.";

beforeAll(async () => {
  await i18next.init({
    lng: "zh_CN",
    resources: {
      zh_CN: {
        translation: {
          [upstream]: "请求过多",
          "No channel is available right now": "没有渠道",
          "This account may send {{number}} requests per minute.": "每分钟 {{number}} 次",
          "The connection broke before the answer was complete.": "连接中断",
        },
      },
    },
    keySeparator: false,
    nsSeparator: false,
  });
});

const reported = (error: string, code = "") => failureText({ error, code }, i18next.t);

it("says in the reader's language what the gateway says of itself", () => {
  expect(reported(`${upstream} (request id: 01a1)`, "rate_limit_exceeded")).toBe("请求过多");
  expect(reported('No channel can serve the model "m" right now. Try again shortly.', "no_channel")).toBe(
    "没有渠道",
  );
  const limit = "This account may send 60 requests per minute. (request id: 01a1)";
  expect(reported(limit, "rate_limit_exceeded")).toBe("每分钟 60 次");
});

it("leaves a provider's own words alone, without our id", () => {
  expect(reported("max_tokens is too large (request id: 01a1)", "upstream_refused")).toBe(
    "max_tokens is too large",
  );
});

it("knows a broken connection by its silence", () => {
  expect(reported("")).toBe("连接中断");
});
