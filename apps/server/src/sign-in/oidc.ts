import type { IdentityProvider } from "./provider.ts";

/** The provider of the settings. */
export function oidc(): IdentityProvider {
  return {
    id: "oidc",
    label: "OpenID Connect",
    enabledBy: "OIDCAuthEnabled",
    needs: ["OIDCClientId", "OIDCClientSecret", "OIDCIssuer"],
    reads: ["OIDCScopes", "OIDCUsernameClaims"],
    async open(settings, fetch) {
      // Most installations have none, so its library is loaded when it is opened.
      const { openOidc } = await import("./oidc-client.ts");
      return openOidc(
        {
          label: "OpenID Connect",
          issuer: settings.OIDCIssuer,
          clientId: settings.OIDCClientId,
          clientSecret: settings.OIDCClientSecret,
          scopes: settings.OIDCScopes,
          usernameClaim: settings.OIDCUsernameClaims,
          subjectClaim: "sub",
          groupsClaim: "",
        },
        fetch,
      );
    },
  };
}
