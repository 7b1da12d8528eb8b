import {
  IdentityProviderChange,
  IdentityProviderInput,
  IdentityProviderMetadata,
  IdentityProviderProbe,
  IdentityProviderRow,
  ScimToken,
} from "@gateway/shared/accounts/identity-provider";
import { Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import { present } from "#console/present.ts";
import type { Services } from "#console/services.ts";
import {
  changeProvider,
  createProvider,
  deleteProvider,
  describeProvider,
  listProviders,
} from "#domain/identity-providers/identity-providers.ts";
import { createScimToken, revokeScimToken } from "#domain/scim/tokens.ts";
import { boundedFetch } from "#platform/http/public-fetch.ts";
import { readOidcMetadata } from "#sign-in/oidc-client.ts";

const config = { access: "root" } as const;
const row = answers(IdentityProviderRow);

/** Routes with which root adds OpenID Connect providers. Whoever changes them decides who can sign in. */
export function identityProviderRoutes(app: ConsoleApp, { db, secrets }: Services): void {
  app.get(
    "/identity_provider",
    {
      config,
      schema: { summary: "List sign-in providers", response: answers(z.array(IdentityProviderRow)) },
    },
    async () => ok((await listProviders(db)).map(present)),
  );

  app.get(
    "/identity_provider/:id",
    { config, schema: { summary: "Get a sign-in provider", params: IdParams, response: row } },
    async (request) => ok(present(await describeProvider(db, request.params.id))),
  );

  app.post(
    "/identity_provider",
    { config, schema: { summary: "Add a sign-in provider", body: IdentityProviderInput, response: row } },
    async (request) => {
      const { id } = await createProvider(db, secrets, viewerOf(request), request.body);
      return ok(present(await describeProvider(db, id)));
    },
  );

  app.put(
    "/identity_provider",
    { config, schema: { summary: "Change a sign-in provider", body: IdentityProviderChange, response: row } },
    async (request) => {
      const { id } = await changeProvider(db, secrets, viewerOf(request), request.body);
      return ok(present(await describeProvider(db, id)));
    },
  );

  app.delete(
    "/identity_provider/:id",
    {
      config,
      schema: { summary: "Delete a sign-in provider", params: IdParams, response: answers(Nothing) },
    },
    async (request) => {
      await deleteProvider(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );

  app.post(
    "/identity_provider/test",
    {
      config,
      schema: {
        summary: "Read the discovery document of a sign-in provider",
        body: IdentityProviderProbe,
        response: answers(IdentityProviderMetadata),
      },
    },
    async (request) => {
      const found = await readOidcMetadata(request.body.issuer, boundedFetch());
      return ok({
        issuer: found.issuer,
        authorization_endpoint: found.authorization_endpoint ?? "",
        token_endpoint: found.token_endpoint ?? "",
        userinfo_endpoint: found.userinfo_endpoint ?? "",
        scopes_supported: found.scopes_supported ?? [],
        claims_supported: found.claims_supported ?? [],
      });
    },
  );

  app.post(
    "/identity_provider/:id/scim_token",
    {
      config,
      schema: {
        summary: "Create the SCIM token of a sign-in provider, in place of the one before",
        params: IdParams,
        response: answers(ScimToken),
      },
    },
    async (request) =>
      ok({ token: await createScimToken(db, secrets, viewerOf(request), request.params.id) }),
  );

  app.delete(
    "/identity_provider/:id/scim_token",
    {
      config,
      schema: {
        summary: "Revoke the SCIM token of a sign-in provider",
        params: IdParams,
        response: answers(Nothing),
      },
    },
    async (request) => {
      await revokeScimToken(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );
}
