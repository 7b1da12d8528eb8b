-- People and groups that the SCIM client of a sign-in provider sent.
ALTER TABLE "identity_providers" ADD COLUMN "scim_token_hash" BYTEA,
    ADD COLUMN "scim_token_time" TIMESTAMPTZ(3),
    ADD COLUMN "scim_last_used" TIMESTAMPTZ(3);

CREATE UNIQUE INDEX "identity_providers_scim_token_hash_key" ON "identity_providers"("scim_token_hash");

CREATE TABLE "scim_users" (
    "id" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "user_name" VARCHAR(255) NOT NULL,
    "name_key" VARCHAR(255) NOT NULL,
    "external_id" VARCHAR(255),
    "active" BOOLEAN NOT NULL,
    "disabled_account" BOOLEAN NOT NULL DEFAULT false,
    "attributes" JSONB NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "scim_users_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "scim_users_provider_id_name_key_key" ON "scim_users"("provider_id", "name_key");
CREATE UNIQUE INDEX "scim_users_provider_id_external_id_key" ON "scim_users"("provider_id", "external_id");
CREATE UNIQUE INDEX "scim_users_provider_id_user_id_key" ON "scim_users"("provider_id", "user_id");
CREATE INDEX "scim_users_user_id_idx" ON "scim_users"("user_id");

CREATE TABLE "scim_groups" (
    "id" UUID NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "display_name" VARCHAR(255) NOT NULL,
    "name_key" VARCHAR(255) NOT NULL,
    "external_id" VARCHAR(255),
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "scim_groups_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "scim_groups_provider_id_name_key_key" ON "scim_groups"("provider_id", "name_key");
CREATE UNIQUE INDEX "scim_groups_provider_id_external_id_key" ON "scim_groups"("provider_id", "external_id");

CREATE TABLE "scim_members" (
    "group_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,

    CONSTRAINT "scim_members_pkey" PRIMARY KEY ("group_id", "person_id")
);

CREATE INDEX "scim_members_person_id_idx" ON "scim_members"("person_id");

ALTER TABLE "scim_users" ADD CONSTRAINT "scim_users_provider_id_fkey"
    FOREIGN KEY ("provider_id") REFERENCES "identity_providers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "scim_users" ADD CONSTRAINT "scim_users_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "scim_groups" ADD CONSTRAINT "scim_groups_provider_id_fkey"
    FOREIGN KEY ("provider_id") REFERENCES "identity_providers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "scim_members" ADD CONSTRAINT "scim_members_group_id_fkey"
    FOREIGN KEY ("group_id") REFERENCES "scim_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "scim_members" ADD CONSTRAINT "scim_members_person_id_fkey"
    FOREIGN KEY ("person_id") REFERENCES "scim_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
