/** OpenID Connect providers of companies that root adds, and what their groups give to accounts. */
import { z } from "zod";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";
import { Budget } from "./budget.ts";
import { Role } from "./roles.ts";

/** The part of the callback address that names a provider. It never changes. */
export const IdentityProviderSlug = z
  .string()
  .trim()
  .min(1, because("identifier_required"))
  .max(32)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, because("slug_characters"));

/** Name of a provider of the table where linked accounts name their provider, next to `github` or `oidc`. */
export const TableProviderKey = z.templateLiteral(["oidc:", z.string().regex(/^[a-z0-9-]{1,32}$/)]);
export type TableProviderKey = z.infer<typeof TableProviderKey>;

/** Claims that identify a person permanently. Entra ID's `sub` differs per application, its `oid` does not. */
export const subjectClaims = ["sub", "oid"] as const;

/** Roles that a rule may give. Root is not among them. */
export const assignableRoles = [Role.user, Role.reliable, Role.admin] as const;

/** What members of a group at the provider get. An absent value is not decided by this rule. */
export const AssignmentRule = z.object({
  /** Name or id of the group, as the provider sends it. */
  external_group: z.string().trim().min(1, because("value_required")).max(255),
  /** Symbol of a user group; "" = not decided. */
  group: z.string().trim().max(50).default(""),
  role: z
    .int()
    .refine((role) => assignableRoles.some((each) => each === role), because("value_not_valid"))
    .nullable()
    .default(null),
  budget: Budget.nullable().default(null),
});
export type AssignmentRule = z.output<typeof AssignmentRule>;

const text = (most: number) => z.string().trim().max(most);

/** An address with https, or with http inside a private network. */
const Issuer = z
  .string()
  .trim()
  .min(1, because("value_required"))
  .max(500)
  .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i, because("not_web_address"));

const changeable = {
  name: text(64).min(1, because("name_required")),
  client_id: text(255).min(1, because("value_required")),
  scopes: text(500).default("openid,profile,email"),
  username_claim: text(100).default("preferred_username"),
  /** Claim with the groups of a person; "" = not read. */
  groups_claim: text(100).default(""),
  enabled: z.boolean().default(true),
  /** People without an account get one when they first sign in. */
  sign_up: z.boolean().default(true),
  /** Only people whom a rule matches may sign in. */
  members_only: z.boolean().default(false),
  /** Rules may give the administrator role, and administrators are changed like other accounts. */
  may_administer: z.boolean().default(false),
  /** The first matching rule that decides a value wins. */
  rules: z.array(AssignmentRule).max(200).default([]),
};

const permanent = {
  slug: IdentityProviderSlug,
  /** Of the console's list of known providers; "" = another one. */
  preset: text(24).default(""),
  issuer: Issuer,
  subject_claim: z.enum(subjectClaims).default("sub"),
};

/** Body of POST /api/identity_provider. */
export const IdentityProviderInput = z
  .object({ ...permanent, client_secret: text(500).min(1, because("value_required")), ...changeable })
  .superRefine(requireAllowedRoles);
export type IdentityProviderInput = z.output<typeof IdentityProviderInput>;

/**
 * Body of PUT /api/identity_provider. Issuer and subject claim stay: linked accounts are known by them. An
 * empty secret keeps the stored one.
 */
export const IdentityProviderChange = z
  .object({ id: z.int().min(1).max(2_147_483_647), client_secret: text(500).default(""), ...changeable })
  .superRefine(requireAllowedRoles);
export type IdentityProviderChange = z.output<typeof IdentityProviderChange>;

/** Values of the console's form, for a new provider or an existing one, which keeps its secret. */
export const IdentityProviderForm = z
  .object({ ...permanent, client_secret: text(500).default(""), ...changeable })
  .superRefine(requireAllowedRoles);

function requireAllowedRoles(
  { may_administer, rules }: { may_administer: boolean; rules: AssignmentRule[] },
  context: z.RefinementCtx,
): void {
  rules.forEach(({ role }, place) => {
    if (role === null || role < Role.admin || may_administer) return;
    context.addIssue({
      code: "custom",
      path: ["rules", place, "role"],
      message: because("rule_gives_admin"),
    });
  });
}

/** A provider in responses to root. Its secrets are never sent. */
export const IdentityProviderRow = z.object({
  id: z.int(),
  slug: z.string(),
  preset: z.string(),
  issuer: z.string(),
  subject_claim: z.enum(subjectClaims),
  name: z.string(),
  client_id: z.string(),
  scopes: z.string(),
  username_claim: z.string(),
  groups_claim: z.string(),
  enabled: z.boolean(),
  sign_up: z.boolean(),
  members_only: z.boolean(),
  may_administer: z.boolean(),
  rules: z.array(AssignmentRule),
  /** Accounts that are linked with the provider. */
  account_count: z.int(),
  created_time: UnixTime,
  /** When the token of the SCIM client was created; null = SCIM is off. */
  scim_token_time: UnixTime.nullable(),
  scim_last_used: UnixTime.nullable(),
});
export type IdentityProviderRow = z.infer<typeof IdentityProviderRow>;

/** A new token of a SCIM client. It is shown only once. */
export const ScimToken = z.object({ token: z.string() });

/** Body of POST /api/identity_provider/test. */
export const IdentityProviderProbe = z.object({ issuer: Issuer });

/** What the discovery document of a provider says. */
export const IdentityProviderMetadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string(),
  scopes_supported: z.array(z.string()),
  claims_supported: z.array(z.string()),
});
export type IdentityProviderMetadata = z.infer<typeof IdentityProviderMetadata>;

/** A provider as the sign-in page shows it. */
export const OfferedIdentityProvider = z.object({
  slug: z.string(),
  name: z.string(),
  preset: z.string(),
});
export type OfferedIdentityProvider = z.infer<typeof OfferedIdentityProvider>;
