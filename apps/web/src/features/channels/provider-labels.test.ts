import i18next from "i18next";
import { beforeAll, describe, expect, it } from "vitest";
import { messagesOf } from "#lib/locale-files.ts";
import { providerWord } from "./provider-labels.ts";

beforeAll(async () => {
  const resources = { zh_CN: { translation: messagesOf("zh_CN", "channels") } };
  const interpolation = { escapeValue: false };
  await i18next.init({ lng: "zh_CN", resources, keySeparator: false, nsSeparator: false, interpolation });
});

describe("a label of a provider", () => {
  it.each([
    ["Voices", "音色"],
    ["Region, e.g. eastasia", "区域，例如 eastasia"],
    ["Default: zh-CN-YunxiNeural|boy. Format: voice|role", "默认 zh-CN-YunxiNeural|boy；格式为 音色|角色"],
    ["Default: female-chengshu. Format: voice|emotion", "默认 female-chengshu；格式为 音色|情绪"],
    [
      'Default: /v1/embeddings. Enter "disable" to turn this endpoint off.',
      '默认 /v1/embeddings。填入 "disable" 可关闭此接口。',
    ],
    ["Must contain {{ knowledge }} and {{ question }}", "用 {{ knowledge }} 和 {{ question }} 标出位置"],
    ["alloy", "alloy"],
  ])("%s is translated", (word, text) => {
    expect(providerWord(i18next.t, word)).toBe(text);
  });
});
