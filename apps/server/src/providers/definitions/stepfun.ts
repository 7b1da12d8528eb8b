import { z } from "zod";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

const Account = z.object({ balance: z.number() });

/** https://platform.stepfun.com/docs/zh/api-reference and …/docs/guide/realtime, read 2026-11-21. */
export const stepfun: Provider = {
  type: 909,
  id: "stepfun",
  label: "StepFun",
  help: "provider-china",
  baseUrl: "https://api.stepfun.com",
  dialects: ["openai-chat"],
  endpoints: ["chat", "images", "audio", "realtime"],
  keyHint: "",
  models: ["step-5-preview", "step-3.7-flash", "step-3.5-flash"],
  testModel: "step-3.7-flash",
  website: "https://platform.stepfun.com",
  headers: bearer,
  adjustRequest: onChat(...plain),
  balance: {
    path: "/v1/accounts",
    read: (answer) => ({ amount: Account.parse(answer).balance, currency: "CNY" }),
  },
};
