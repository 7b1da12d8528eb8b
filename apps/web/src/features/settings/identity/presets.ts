/** Known providers: what to enter for them. */
import type { IdentityProviderInput } from "@gateway/shared/accounts/identity-provider";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("settings");

export type ProviderPreset = {
  id: string;
  name: string;
  /** Form of its issuer. */
  issuer: string;
  /** What to set up there; translated when displayed. */
  hint?: string;
  values: Pick<IdentityProviderInput, "subject_claim" | "scopes" | "username_claim" | "groups_claim">;
};

const standard = {
  subject_claim: "sub",
  scopes: "openid,profile,email",
  username_claim: "preferred_username",
  groups_claim: "groups",
} as const;

/** The last one is for all others. */
export const providerPresets: ProviderPreset[] = [
  {
    id: "entra",
    name: "Microsoft Entra ID",
    issuer: "https://login.microsoftonline.com/<tenant id>/v2.0",
    hint: phrase("Add the groups claim to the ID token of the app registration. It contains object IDs."),
    values: { ...standard, subject_claim: "oid" },
  },
  {
    id: "okta",
    name: "Okta",
    issuer: "https://<organization>.okta.com",
    hint: phrase("Add a groups claim to the OpenID Connect ID token of the application."),
    values: { ...standard, scopes: "openid,profile,email,groups" },
  },
  {
    id: "google",
    name: "Google Workspace",
    issuer: "https://accounts.google.com",
    hint: phrase(
      "Set the audience of the OAuth app to Internal. Otherwise every Google account can sign in.",
    ),
    values: { ...standard, username_claim: "email", groups_claim: "" },
  },
  {
    id: "keycloak",
    name: "Keycloak",
    issuer: "https://id.example.com/realms/<realm>",
    hint: phrase("Add a mapper of the type Group Membership with the claim name groups."),
    values: standard,
  },
  {
    id: "auth0",
    name: "Auth0",
    issuer: "https://<tenant>.auth0.com/",
    hint: phrase(
      "Roles need an Action that adds a claim with a namespace. Enter its name as the groups claim.",
    ),
    values: { ...standard, username_claim: "nickname", groups_claim: "" },
  },
  {
    id: "authentik",
    name: "authentik",
    issuer: "https://id.example.com/application/o/<application>/",
    values: standard,
  },
  {
    id: "gitlab",
    name: "GitLab",
    issuer: "https://gitlab.com",
    values: { ...standard, username_claim: "nickname" },
  },
  { id: "", name: phrase("Other provider"), issuer: "https://id.example.com", values: standard },
];
