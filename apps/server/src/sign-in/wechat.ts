import { trimEndOf } from "@gateway/shared/trim-end";
import { z } from "zod";
import { ask, identityError } from "./ask.ts";
import type { IdentityProvider } from "./provider.ts";

/**
 * WeChat through an official account: its server issues codes that users type in, and returns whose code it
 * is.
 */
const label = "WeChat";

const Answer = z.object({ success: z.boolean(), message: z.string().nullish(), data: z.string().nullish() });

export function wechat(): IdentityProvider {
  return {
    id: "wechat",
    label,
    enabledBy: "WeChatAuthEnabled",
    needs: ["WeChatServerAddress"],
    reads: ["WeChatServerToken"],
    async open(settings, fetch) {
      const base = trimEndOf(settings.WeChatServerAddress, "/");
      return {
        async identify(visit) {
          const { code } = await visit.checkState();
          const url = `${base}/api/wechat/user?${new URLSearchParams({ code }).toString()}`;
          const headers = { authorization: settings.WeChatServerToken };
          const { success, message, data } = await ask(fetch, Answer, { label, url, headers });
          if (!success || !data) throw identityError(label, message);
          return { subject: data, label: "", username: "", displayName: "", email: null };
        },
      };
    },
  };
}
