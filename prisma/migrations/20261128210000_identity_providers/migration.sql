-- OpenID Connect providers that root has added, next to the one of the settings. Linked accounts name theirs as
-- "oidc:<slug>". A longer limit of characters changes no stored row.
ALTER TABLE "identities" ALTER COLUMN "provider" TYPE VARCHAR(48);

CREATE TABLE "identity_providers" (
    "id" SERIAL NOT NULL,
    "slug" VARCHAR(32) NOT NULL,
    "preset" VARCHAR(24) NOT NULL DEFAULT '',
    "name" VARCHAR(64) NOT NULL,
    "issuer" VARCHAR(500) NOT NULL,
    "subject_claim" VARCHAR(8) NOT NULL DEFAULT 'sub',
    "client_id" VARCHAR(255) NOT NULL,
    "client_secret" BYTEA NOT NULL,
    "scopes" VARCHAR(500) NOT NULL,
    "username_claim" VARCHAR(100) NOT NULL,
    "groups_claim" VARCHAR(100) NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "sign_up" BOOLEAN NOT NULL DEFAULT true,
    "members_only" BOOLEAN NOT NULL DEFAULT false,
    "may_administer" BOOLEAN NOT NULL DEFAULT false,
    "rules" JSONB NOT NULL DEFAULT '[]',
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identity_providers_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "identity_providers_slug_key" ON "identity_providers"("slug");
