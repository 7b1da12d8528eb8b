/** Settings of the identity providers for sign-in. */
import { phrasesIn } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";

const phrase = phrasesIn("settings");

export const identityProviderSections: SettingSection[] = [
  {
    id: "github",
    title: phrase("GitHub"),
    help: "sign-in#github",
    hint: phrase("Your OAuth app at GitHub."),
    callback: "/oauth/github",
    fields: [
      { key: "GitHubOAuthEnabled", kind: "switch", label: phrase("Sign-in with GitHub") },
      { key: "GitHubClientId", kind: "text", label: phrase("Client ID") },
      { key: "GitHubClientSecret", kind: "secret", label: phrase("Client secret") },
    ],
  },
  {
    id: "oidc",
    title: phrase("OpenID Connect"),
    help: "sign-in#openid-connect",
    hint: phrase(
      "Any provider that supports OpenID Connect Discovery, for example Keycloak, Authentik, Entra ID or Google.",
    ),
    callback: "/oauth/oidc",
    fields: [
      { key: "OIDCAuthEnabled", kind: "switch", label: phrase("Sign-in with OpenID Connect") },
      { key: "OIDCIssuer", kind: "address", label: phrase("Issuer") },
      {
        key: "OIDCScopes",
        kind: "text",
        label: phrase("Scopes"),
        hint: phrase("Separate entries with commas."),
      },
      { key: "OIDCClientId", kind: "text", label: phrase("Client ID") },
      { key: "OIDCClientSecret", kind: "secret", label: phrase("Client secret") },
      {
        key: "OIDCUsernameClaims",
        kind: "text",
        label: phrase("Username claim"),
        hint: phrase("The claim that provides the username of new accounts."),
      },
    ],
  },
  {
    id: "lark",
    title: "Lark",
    help: "sign-in#lark",
    hint: phrase("Your app at Lark."),
    callback: "/oauth/lark",
    fields: [
      { key: "LarkAuthEnabled", kind: "switch", label: phrase("Sign-in with Lark") },
      { key: "LarkClientId", kind: "text", label: phrase("App ID") },
      { key: "LarkClientSecret", kind: "secret", label: phrase("App secret") },
    ],
  },
  {
    id: "wechat",
    title: phrase("WeChat"),
    help: "sign-in#wechat",
    hint: phrase("A server that connects to your WeChat official account and issues sign-in codes."),
    fields: [
      { key: "WeChatAuthEnabled", kind: "switch", label: phrase("Sign-in with WeChat") },
      { key: "WeChatServerAddress", kind: "address", label: phrase("WeChat server address") },
      { key: "WeChatServerToken", kind: "secret", label: phrase("WeChat server access token") },
      {
        key: "WeChatAccountQRCodeImageURL",
        kind: "address",
        label: phrase("QR code image of the official account"),
      },
    ],
  },
];
