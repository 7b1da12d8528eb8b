/** Columns of New API's tables as of July 2026. */
export const newApiColumns = {
  abilities: "group model channel_id enabled priority weight tag",
  auth_flows: "",
  authz_roles: "id key name description built_in enabled sort created_at updated_at",
  casbin_rule: "id ptype v0 v1 v2 v3 v4 v5",
  channels:
    "id type key open_ai_organization test_model status name weight created_time test_time response_time base_url other balance balance_updated_time models group used_quota model_mapping status_code_mapping priority auto_ban other_info tag setting param_override header_override remark channel_info settings",
  checkins: "id user_id checkin_date quota_awarded created_at",
  custom_oauth_providers:
    "id name slug icon enabled client_id client_secret authorization_endpoint token_endpoint user_info_endpoint scopes user_id_field username_field display_name_field email_field well_known auth_style access_policy access_denied_message created_at updated_at",
  external_identity_claims: "id provider subject user_id created_at",
  logs: "id user_id created_at type content username token_name model_name quota prompt_tokens completion_tokens use_time is_stream channel_id channel_name token_id group ip request_id upstream_request_id other",
  midjourneys:
    "id code user_id action mj_id prompt prompt_en description state submit_time start_time finish_time image_url video_url video_urls status progress fail_reason channel_id quota buttons properties",
  models:
    "id model_name description icon tags vendor_id endpoints status sync_official created_time updated_time deleted_at name_rule",
  options: "key value",
  passkey_credentials:
    "id user_id credential_id public_key attestation_type aa_guid sign_count clone_warning user_present user_verified backup_eligible backup_state transports attachment last_used_at created_at updated_at deleted_at",
  quota_data:
    "id user_id username model_name created_at use_group token_id channel_id node_name token_used count quota",
  redemptions:
    "id user_id key status name quota created_time redeemed_time used_user_id deleted_at expired_time",
  setups: "id version initialized_at",
  subscription_orders:
    "id user_id plan_id money trade_no payment_method payment_provider status create_time complete_time provider_payload",
  subscription_plans:
    "id title subtitle price_amount currency duration_unit duration_value custom_seconds enabled sort_order allow_balance_pay allow_wallet_overflow stripe_price_id creem_product_id waffo_pancake_product_id max_purchase_per_user upgrade_group downgrade_group total_amount quota_reset_period quota_reset_custom_seconds created_at updated_at",
  tasks:
    "id created_at updated_at task_id platform user_id group channel_id quota action status fail_reason submit_time start_time finish_time progress properties private_data data",
  tokens:
    "id user_id key status name created_time accessed_time expired_time remain_quota unlimited_quota model_limits_enabled model_limits allow_ips used_quota group cross_group_retry deleted_at",
  top_ups:
    "id user_id amount money trade_no payment_method payment_provider create_time complete_time status",
  two_fa_backup_codes: "id user_id code_hash is_used used_at created_at deleted_at",
  two_fas:
    "id user_id secret is_enabled failed_attempts locked_until last_used_at created_at updated_at deleted_at",
  user_oauth_bindings: "id user_id provider_id provider_user_id created_at",
  user_sessions:
    "sid user_id version user_auth_version status refresh_hash previous_refresh_hash previous_valid_until login_method ip user_agent created_at last_active_at expires_at revoked_at revoked_reason",
  user_subscriptions:
    "id user_id plan_id amount_total amount_used start_time end_time status source last_reset_time next_reset_time upgrade_group prev_user_group downgrade_group allow_wallet_overflow created_at updated_at",
  users:
    "id username password display_name role status email github_id discord_id oidc_id wechat_id telegram_id access_token quota used_quota request_count group aff_code aff_count aff_quota aff_history inviter_id deleted_at linux_do_id setting remark stripe_customer created_at last_login_at auth_version",
  vendors: "id name description icon status created_time updated_time deleted_at",
} as const;
