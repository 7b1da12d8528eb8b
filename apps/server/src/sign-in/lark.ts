import { z } from "zod";
import { ask, identityError } from "./ask.ts";
import type { IdentityProvider } from "./provider.ts";

/**
 * Lark (Feishu). It does not use the OAuth plugin: the exchange first needs a token of the app in its header,
 * and the responses have Lark's own envelope.
 */
const label = "Lark";

const AppToken = z.object({ code: z.int(), app_access_token: z.string().optional() });
const UserToken = z.object({
  code: z.int(),
  data: z.object({ access_token: z.string() }).optional(),
});
const Account = z.object({
  code: z.int(),
  data: z.object({ open_id: z.string().min(1), name: z.string().nullish() }).optional(),
});

export function larkAt(base = "https://open.feishu.cn"): IdentityProvider {
  return {
    id: "lark",
    label,
    enabledBy: "LarkAuthEnabled",
    needs: ["LarkClientId", "LarkClientSecret"],
    async open(settings, fetch) {
      const api = `${base}/open-apis`;
      return {
        async identify(visit) {
          const { code } = await visit.checkState();
          const app = await ask(fetch, AppToken, {
            label,
            url: `${api}/auth/v3/app_access_token/internal`,
            body: { app_id: settings.LarkClientId, app_secret: settings.LarkClientSecret },
          });
          if (app.app_access_token === undefined) throw identityError(label, `code ${app.code}`);
          const user = await ask(fetch, UserToken, {
            label,
            url: `${api}/authen/v1/oidc/access_token`,
            headers: { authorization: `Bearer ${app.app_access_token}` },
            body: { grant_type: "authorization_code", code },
          });
          if (user.data === undefined) throw identityError(label, `code ${user.code}`);
          const account = await ask(fetch, Account, {
            label,
            url: `${api}/authen/v1/user_info`,
            headers: { authorization: `Bearer ${user.data.access_token}` },
          });
          if (account.data === undefined) throw identityError(label, `code ${account.code}`);
          const { open_id, name } = account.data;
          return {
            subject: open_id,
            label: name ?? "",
            username: "",
            displayName: name ?? "",
            // Lark does not report whether an address was verified.
            email: null,
          };
        },
      };
    },
  };
}
