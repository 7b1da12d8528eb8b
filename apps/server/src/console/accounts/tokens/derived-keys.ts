import { DerivedKeyId, DerivedKeyPage, DerivedKeyRow } from "@gateway/shared/accounts/derived-key";
import { PageQuery } from "@gateway/shared/paging";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { listDerivedKeys, revokeDerivedKey } from "#domain/tokens/derived-keys/derived-keys.ts";

/** Fields by which a list of derived keys can be sorted. */
const sortableDerivedKeys = ["created_at", "used_at", "expires_at", "spent", "label"] as const;

const config = { access: "user" } as const;

/** Routes for the keys that were derived from the signed-in user's API keys. */
export function derivedKeyRoutes(app: ConsoleApp, { db }: Services): void {
  app.get(
    "/token/:id/derived_keys",
    {
      config,
      schema: {
        summary: "List the derived keys of one of your tokens that were used",
        params: IdParams,
        querystring: PageQuery,
        response: answers(DerivedKeyPage),
      },
    },
    async (request) => {
      const { order } = request.query;
      const query = { ...request.query, order: order === "" ? "-created_at" : order };
      const search = { tokenId: request.params.id, ...sliceOf(query, sortableDerivedKeys) };
      const { rows, total } = await listDerivedKeys(db, viewerOf(request).id, search);
      return ok(pageOf(request.query, rows, total));
    },
  );

  app.delete(
    "/token/:id/derived_keys/:key",
    {
      config,
      schema: {
        summary: "Revoke a derived key of one of your tokens, and the keys derived from it",
        params: IdParams.extend({ key: DerivedKeyId }),
        response: answers(DerivedKeyRow),
      },
    },
    async (request) => {
      const { id: tokenId, key: id } = request.params;
      return ok(await revokeDerivedKey(db, viewerOf(request), { tokenId, id }));
    },
  );
}
