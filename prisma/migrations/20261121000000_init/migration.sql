-- CreateTable
CREATE TABLE "users" (
    "id" SERIAL NOT NULL,
    "username" VARCHAR(64) NOT NULL,
    "password_hash" TEXT,
    "display_name" VARCHAR(64) NOT NULL DEFAULT '',
    "role" SMALLINT NOT NULL DEFAULT 1,
    "status" SMALLINT NOT NULL DEFAULT 1,
    "email" VARCHAR(254),
    "avatar_url" VARCHAR(500) NOT NULL DEFAULT '',
    "group" VARCHAR(50) NOT NULL DEFAULT 'default',
    "quota" BIGINT NOT NULL DEFAULT 0,
    "reserved" BIGINT NOT NULL DEFAULT 0,
    "used_quota" BIGINT NOT NULL DEFAULT 0,
    "request_count" BIGINT NOT NULL DEFAULT 0,
    "quota_expires_at" TIMESTAMPTZ(3),
    "access_token_hash" BYTEA,
    "aff_code" VARCHAR(32) NOT NULL,
    "inviter_id" INTEGER,
    "aff_count" INTEGER NOT NULL DEFAULT 0,
    "aff_quota" BIGINT NOT NULL DEFAULT 0,
    "aff_history" BIGINT NOT NULL DEFAULT 0,
    "permissions" JSONB,
    "totp_secret" BYTEA,
    "totp_enabled" BOOLEAN NOT NULL DEFAULT false,
    "language" VARCHAR(16) NOT NULL DEFAULT '',
    "last_login_time" TIMESTAMPTZ(3),
    "last_login_ip" VARCHAR(64) NOT NULL DEFAULT '',
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id_hash" BYTEA NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ip" VARCHAR(64) NOT NULL DEFAULT '',
    "user_agent" VARCHAR(300) NOT NULL DEFAULT '',

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id_hash")
);

-- CreateTable
CREATE TABLE "identities" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "provider" VARCHAR(16) NOT NULL,
    "subject" VARCHAR(255) NOT NULL,
    "label" VARCHAR(255) NOT NULL DEFAULT '',
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "passkeys" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "credential_id" BYTEA NOT NULL,
    "public_key" BYTEA NOT NULL,
    "alias" VARCHAR(255) NOT NULL DEFAULT '',
    "sign_count" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[],
    "backed_up" BOOLEAN NOT NULL DEFAULT false,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used" TIMESTAMPTZ(3),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery_codes" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "one_time_codes" (
    "id" SERIAL NOT NULL,
    "purpose" VARCHAR(24) NOT NULL,
    "subject" VARCHAR(254) NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "payload" JSONB,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "one_time_codes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_groups" (
    "id" SERIAL NOT NULL,
    "symbol" VARCHAR(50) NOT NULL,
    "name" VARCHAR(50) NOT NULL,
    "ratio" DECIMAL(12,6) NOT NULL DEFAULT 1,
    "public" BOOLEAN NOT NULL DEFAULT false,
    "enable" BOOLEAN NOT NULL DEFAULT true,
    "api_rate" INTEGER NOT NULL DEFAULT 600,
    "promotion" BOOLEAN NOT NULL DEFAULT false,
    "min" INTEGER NOT NULL DEFAULT 0,
    "max" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "user_groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" BIGSERIAL NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "user_id" INTEGER,
    "username" VARCHAR(64) NOT NULL DEFAULT '',
    "action" VARCHAR(64) NOT NULL,
    "target_type" VARCHAR(32) NOT NULL,
    "target_id" VARCHAR(128) NOT NULL,
    "before" JSONB,
    "after" JSONB,
    "ip" VARCHAR(64) NOT NULL DEFAULT '',

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entries" (
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "kind" VARCHAR(16) NOT NULL,
    "amount" BIGINT NOT NULL,
    "reference" VARCHAR(128) NOT NULL,
    "reason" TEXT NOT NULL DEFAULT '',
    "actor_id" INTEGER,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "reservations" (
    "request_id" VARCHAR(64) NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_id" INTEGER NOT NULL,
    "amount" BIGINT NOT NULL,
    "token_amount" BIGINT NOT NULL,
    "node_id" VARCHAR(36) NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reservations_pkey" PRIMARY KEY ("request_id")
);

-- CreateTable
CREATE TABLE "nodes" (
    "id" VARCHAR(36) NOT NULL,
    "started_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "nodes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_hours" (
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "group" VARCHAR(50) NOT NULL,
    "request_count" BIGINT NOT NULL DEFAULT 0,
    "failed_count" BIGINT NOT NULL DEFAULT 0,
    "quota" BIGINT NOT NULL DEFAULT 0,
    "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
    "completion_tokens" BIGINT NOT NULL DEFAULT 0,
    "cached_tokens" BIGINT NOT NULL DEFAULT 0,
    "request_time" BIGINT NOT NULL DEFAULT 0,
    "first_byte_time" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "usage_hours_pkey" PRIMARY KEY ("hour","user_id","token_id","channel_id","model","group")
);

-- CreateTable
CREATE TABLE "statements" (
    "id" SERIAL NOT NULL,
    "month" DATE NOT NULL,
    "user_id" INTEGER NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "request_count" BIGINT NOT NULL DEFAULT 0,
    "quota" BIGINT NOT NULL DEFAULT 0,
    "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
    "completion_tokens" BIGINT NOT NULL DEFAULT 0,
    "request_time" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "statements_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_runs" (
    "id" SERIAL NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "checked" INTEGER NOT NULL,
    "drift" BIGINT NOT NULL,
    "detail" JSONB NOT NULL,

    CONSTRAINT "audit_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "redemptions" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" VARCHAR(64) NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "key_encrypted" BYTEA NOT NULL,
    "status" SMALLINT NOT NULL DEFAULT 1,
    "quota" BIGINT NOT NULL,
    "redeemed_by" INTEGER,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "redeemed_time" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "redemptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payments" (
    "id" SERIAL NOT NULL,
    "uuid" VARCHAR(36) NOT NULL,
    "type" VARCHAR(16) NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "icon" VARCHAR(300) NOT NULL DEFAULT '',
    "notify_domain" VARCHAR(300) NOT NULL DEFAULT '',
    "currency" VARCHAR(5) NOT NULL DEFAULT 'CNY',
    "fixed_fee" DECIMAL(10,2) NOT NULL DEFAULT 0,
    "percent_fee" DECIMAL(10,4) NOT NULL DEFAULT 0,
    "config_encrypted" BYTEA,
    "sort" INTEGER NOT NULL DEFAULT 1,
    "enable" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "payments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "orders" (
    "id" SERIAL NOT NULL,
    "trade_no" VARCHAR(50) NOT NULL,
    "gateway_no" VARCHAR(100) NOT NULL DEFAULT '',
    "user_id" INTEGER NOT NULL,
    "gateway_id" INTEGER NOT NULL,
    "amount" INTEGER NOT NULL,
    "order_amount" DECIMAL(12,2) NOT NULL,
    "order_currency" VARCHAR(5) NOT NULL,
    "fee" DECIMAL(12,2) NOT NULL DEFAULT 0,
    "discount" DECIMAL(12,2) NOT NULL DEFAULT 0,
    "quota" BIGINT NOT NULL,
    "status" VARCHAR(16) NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "orders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "prices" (
    "id" SERIAL NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "type" VARCHAR(16) NOT NULL DEFAULT 'tokens',
    "channel_type" INTEGER NOT NULL DEFAULT 0,
    "input" DECIMAL(20,10) NOT NULL DEFAULT 0,
    "output" DECIMAL(20,10) NOT NULL DEFAULT 0,
    "locked" BOOLEAN NOT NULL DEFAULT false,
    "tiers" JSONB NOT NULL DEFAULT '[]',
    "version_id" INTEGER NOT NULL DEFAULT 0,
    "updated_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "prices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "price_extras" (
    "price_id" INTEGER NOT NULL,
    "kind" VARCHAR(48) NOT NULL,
    "value" DECIMAL(20,10) NOT NULL,

    CONSTRAINT "price_extras_pkey" PRIMARY KEY ("price_id","kind")
);

-- CreateTable
CREATE TABLE "price_versions" (
    "id" SERIAL NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "snapshot" JSONB NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" INTEGER,

    CONSTRAINT "price_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_owned_by" (
    "id" INTEGER NOT NULL,
    "name" VARCHAR(100) NOT NULL,
    "icon" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "model_owned_by_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_info" (
    "id" SERIAL NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "name" VARCHAR(160) NOT NULL DEFAULT '',
    "description" TEXT NOT NULL DEFAULT '',
    "context_length" INTEGER NOT NULL DEFAULT 0,
    "max_tokens" INTEGER NOT NULL DEFAULT 0,
    "input_modalities" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "output_modalities" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "support_url" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_info_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channels" (
    "id" SERIAL NOT NULL,
    "type" INTEGER NOT NULL,
    "name" VARCHAR(128) NOT NULL,
    "status" SMALLINT NOT NULL DEFAULT 1,
    "status_reason" TEXT NOT NULL DEFAULT '',
    "status_time" TIMESTAMPTZ(3),
    "base_url" VARCHAR(500) NOT NULL DEFAULT '',
    "other" VARCHAR(500) NOT NULL DEFAULT '',
    "priority" INTEGER NOT NULL DEFAULT 0,
    "weight" INTEGER NOT NULL DEFAULT 1,
    "tag" VARCHAR(64) NOT NULL DEFAULT '',
    "model_mapping" JSONB NOT NULL DEFAULT '{}',
    "model_headers" JSONB NOT NULL DEFAULT '{}',
    "custom_parameter" JSONB NOT NULL DEFAULT '{}',
    "disabled_stream" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "proxy" VARCHAR(500) NOT NULL DEFAULT '',
    "test_model" VARCHAR(128) NOT NULL DEFAULT '',
    "only_chat" BOOLEAN NOT NULL DEFAULT false,
    "pre_cost" SMALLINT NOT NULL DEFAULT 1,
    "compatible_response" BOOLEAN NOT NULL DEFAULT false,
    "allow_extra_body" BOOLEAN NOT NULL DEFAULT false,
    "system_prompt" TEXT NOT NULL DEFAULT '',
    "auto_disable" BOOLEAN NOT NULL DEFAULT true,
    "log_bodies" BOOLEAN NOT NULL DEFAULT false,
    "connect_timeout_ms" INTEGER NOT NULL DEFAULT 0,
    "first_byte_timeout_ms" INTEGER NOT NULL DEFAULT 0,
    "idle_timeout_ms" INTEGER NOT NULL DEFAULT 0,
    "max_concurrency" INTEGER NOT NULL DEFAULT 0,
    "plugin" JSONB NOT NULL DEFAULT '{}',
    "used_quota" BIGINT NOT NULL DEFAULT 0,
    "balance" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "balance_updated_time" TIMESTAMPTZ(3),
    "response_time" INTEGER NOT NULL DEFAULT 0,
    "test_time" TIMESTAMPTZ(3),
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "channels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channel_keys" (
    "id" SERIAL NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "key_encrypted" BYTEA NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "key_hint" VARCHAR(24) NOT NULL,
    "weight" INTEGER NOT NULL DEFAULT 1,
    "status" SMALLINT NOT NULL DEFAULT 1,
    "status_reason" TEXT NOT NULL DEFAULT '',
    "status_time" TIMESTAMPTZ(3),
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "channel_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channel_models" (
    "channel_id" INTEGER NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "channel_models_pkey" PRIMARY KEY ("channel_id","model")
);

-- CreateTable
CREATE TABLE "channel_groups" (
    "channel_id" INTEGER NOT NULL,
    "group" VARCHAR(50) NOT NULL,

    CONSTRAINT "channel_groups_pkey" PRIMARY KEY ("channel_id","group")
);

-- CreateTable
CREATE TABLE "channel_events" (
    "id" BIGSERIAL NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kind" VARCHAR(24) NOT NULL,
    "reason" TEXT NOT NULL DEFAULT '',
    "user_id" INTEGER,
    "detail" JSONB,

    CONSTRAINT "channel_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channel_tests" (
    "id" BIGSERIAL NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ok" BOOLEAN NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "message" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "channel_tests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stored_responses" (
    "id" VARCHAR(128) NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_id" INTEGER,
    "channel_id" INTEGER NOT NULL,
    "channel_key_id" INTEGER,
    "kind" VARCHAR(16) NOT NULL DEFAULT 'response',
    "model" VARCHAR(160) NOT NULL,
    "turn" JSONB,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "stored_responses_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "options" (
    "key" VARCHAR(64) NOT NULL,
    "value" JSONB NOT NULL,
    "updated_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "options_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "tasks" (
    "id" BIGSERIAL NOT NULL,
    "task_id" VARCHAR(64) NOT NULL,
    "platform" VARCHAR(30) NOT NULL,
    "action" VARCHAR(40) NOT NULL,
    "status" VARCHAR(20) NOT NULL DEFAULT 'NOT_START',
    "user_id" INTEGER NOT NULL,
    "token_id" INTEGER NOT NULL DEFAULT 0,
    "channel_id" INTEGER NOT NULL,
    "quota" BIGINT NOT NULL DEFAULT 0,
    "progress" SMALLINT NOT NULL DEFAULT 0,
    "fail_reason" TEXT NOT NULL DEFAULT '',
    "submit_time" TIMESTAMPTZ(3),
    "start_time" TIMESTAMPTZ(3),
    "finish_time" TIMESTAMPTZ(3),
    "deadline" TIMESTAMPTZ(3),
    "properties" JSONB NOT NULL DEFAULT '{}',
    "data" JSONB NOT NULL DEFAULT '{}',
    "notify_hook" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "telegram_menus" (
    "id" SERIAL NOT NULL,
    "command" VARCHAR(32) NOT NULL,
    "description" VARCHAR(255) NOT NULL DEFAULT '',
    "parse_mode" VARCHAR(16) NOT NULL DEFAULT 'MarkdownV2',
    "reply_message" TEXT NOT NULL,

    CONSTRAINT "telegram_menus_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tokens" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" VARCHAR(64) NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "key_encrypted" BYTEA NOT NULL,
    "key_hint" VARCHAR(24) NOT NULL,
    "status" SMALLINT NOT NULL DEFAULT 1,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "accessed_time" TIMESTAMPTZ(3),
    "expired_time" TIMESTAMPTZ(3),
    "unlimited_quota" BOOLEAN NOT NULL DEFAULT false,
    "remain_quota" BIGINT NOT NULL DEFAULT 0,
    "reserved" BIGINT NOT NULL DEFAULT 0,
    "used_quota" BIGINT NOT NULL DEFAULT 0,
    "group" VARCHAR(50) NOT NULL DEFAULT '',
    "backup_group" VARCHAR(50) NOT NULL DEFAULT '',
    "setting" JSONB NOT NULL DEFAULT '{}',
    "billing_tag" VARCHAR(50) NOT NULL DEFAULT '',
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_username_key" ON "users"("username");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "users_access_token_hash_key" ON "users"("access_token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "users_aff_code_key" ON "users"("aff_code");

-- CreateIndex
CREATE INDEX "users_email_idx" ON "users"("email");

-- CreateIndex
CREATE INDEX "users_display_name_idx" ON "users"("display_name");

-- CreateIndex
CREATE INDEX "users_inviter_id_idx" ON "users"("inviter_id");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "identities_provider_subject_key" ON "identities"("provider", "subject");

-- CreateIndex
CREATE UNIQUE INDEX "identities_user_id_provider_key" ON "identities"("user_id", "provider");

-- CreateIndex
CREATE UNIQUE INDEX "passkeys_credential_id_key" ON "passkeys"("credential_id");

-- CreateIndex
CREATE INDEX "passkeys_user_id_idx" ON "passkeys"("user_id");

-- CreateIndex
CREATE INDEX "recovery_codes_user_id_idx" ON "recovery_codes"("user_id");

-- CreateIndex
CREATE INDEX "one_time_codes_expires_at_idx" ON "one_time_codes"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "one_time_codes_purpose_subject_key" ON "one_time_codes"("purpose", "subject");

-- CreateIndex
CREATE UNIQUE INDEX "user_groups_symbol_key" ON "user_groups"("symbol");

-- CreateIndex
CREATE INDEX "audit_entries_created_time_idx" ON "audit_entries"("created_time");

-- CreateIndex
CREATE INDEX "audit_entries_target_type_target_id_idx" ON "audit_entries"("target_type", "target_id");

-- CreateIndex
CREATE INDEX "audit_entries_user_id_created_time_idx" ON "audit_entries"("user_id", "created_time");

-- CreateIndex
CREATE INDEX "ledger_entries_user_id_created_time_idx" ON "ledger_entries"("user_id", "created_time");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entries_kind_reference_key" ON "ledger_entries"("kind", "reference");

-- CreateIndex
CREATE INDEX "reservations_node_id_idx" ON "reservations"("node_id");

-- CreateIndex
CREATE INDEX "reservations_user_id_idx" ON "reservations"("user_id");

-- CreateIndex
CREATE INDEX "usage_hours_user_id_hour_idx" ON "usage_hours"("user_id", "hour");

-- CreateIndex
CREATE INDEX "usage_hours_channel_id_hour_idx" ON "usage_hours"("channel_id", "hour");

-- CreateIndex
CREATE INDEX "usage_hours_model_hour_idx" ON "usage_hours"("model", "hour");

-- CreateIndex
CREATE UNIQUE INDEX "statements_month_user_id_model_key" ON "statements"("month", "user_id", "model");

-- CreateIndex
CREATE UNIQUE INDEX "redemptions_key_hash_key" ON "redemptions"("key_hash");

-- CreateIndex
CREATE INDEX "redemptions_name_idx" ON "redemptions"("name");

-- CreateIndex
CREATE UNIQUE INDEX "payments_uuid_key" ON "payments"("uuid");

-- CreateIndex
CREATE UNIQUE INDEX "orders_trade_no_key" ON "orders"("trade_no");

-- CreateIndex
CREATE INDEX "orders_user_id_created_at_idx" ON "orders"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "orders_status_created_at_idx" ON "orders"("status", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "prices_model_key" ON "prices"("model");

-- CreateIndex
CREATE INDEX "prices_channel_type_idx" ON "prices"("channel_type");

-- CreateIndex
CREATE INDEX "price_versions_model_id_idx" ON "price_versions"("model", "id");

-- CreateIndex
CREATE UNIQUE INDEX "model_info_model_key" ON "model_info"("model");

-- CreateIndex
CREATE INDEX "channels_tag_idx" ON "channels"("tag");

-- CreateIndex
CREATE INDEX "channels_name_idx" ON "channels"("name");

-- CreateIndex
CREATE UNIQUE INDEX "channel_keys_channel_id_key_hash_key" ON "channel_keys"("channel_id", "key_hash");

-- CreateIndex
CREATE INDEX "channel_models_model_idx" ON "channel_models"("model");

-- CreateIndex
CREATE INDEX "channel_groups_group_idx" ON "channel_groups"("group");

-- CreateIndex
CREATE INDEX "channel_events_channel_id_created_time_idx" ON "channel_events"("channel_id", "created_time");

-- CreateIndex
CREATE INDEX "channel_tests_channel_id_created_time_idx" ON "channel_tests"("channel_id", "created_time");

-- CreateIndex
CREATE INDEX "stored_responses_user_id_idx" ON "stored_responses"("user_id");

-- CreateIndex
CREATE INDEX "stored_responses_expires_at_idx" ON "stored_responses"("expires_at");

-- CreateIndex
CREATE INDEX "tasks_user_id_created_at_idx" ON "tasks"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "tasks_status_updated_at_idx" ON "tasks"("status", "updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "tasks_platform_task_id_key" ON "tasks"("platform", "task_id");

-- CreateIndex
CREATE UNIQUE INDEX "telegram_menus_command_key" ON "telegram_menus"("command");

-- CreateIndex
CREATE UNIQUE INDEX "tokens_key_hash_key" ON "tokens"("key_hash");

-- CreateIndex
CREATE INDEX "tokens_user_id_idx" ON "tokens"("user_id");

-- CreateIndex
CREATE INDEX "tokens_name_idx" ON "tokens"("name");

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_inviter_id_fkey" FOREIGN KEY ("inviter_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_gateway_id_fkey" FOREIGN KEY ("gateway_id") REFERENCES "payments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "price_extras" ADD CONSTRAINT "price_extras_price_id_fkey" FOREIGN KEY ("price_id") REFERENCES "prices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_keys" ADD CONSTRAINT "channel_keys_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_models" ADD CONSTRAINT "channel_models_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_groups" ADD CONSTRAINT "channel_groups_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_events" ADD CONSTRAINT "channel_events_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_tests" ADD CONSTRAINT "channel_tests_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
