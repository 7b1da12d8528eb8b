/** Columns of One Hub's tables as of February 2026. */
export const oneHubColumns = {
  channels:
    "id type key status name weight created_time test_time response_time base_url other balance balance_updated_time models group tag used_quota model_mapping model_headers custom_parameter priority proxy test_model only_chat pre_cost compatible_response allow_extra_body disabled_stream plugin deleted_at",
  logs: "id user_id created_at type content username token_name model_name quota prompt_tokens completion_tokens channel_id request_time is_stream source_ip metadata",
  midjourneys:
    "id code user_id action mj_id prompt prompt_en description state submit_time start_time finish_time image_url status progress fail_reason channel_id quota buttons properties mode token_id",
  migrations: "id",
  model_info:
    "id model name description context_length max_tokens input_modalities output_modalities tags support_url created_at updated_at",
  model_owned_by: "id name icon",
  options: "key value",
  orders:
    "id user_id gateway_id trade_no gateway_no amount order_amount order_currency quota fee discount status created_at updated_at deleted_at",
  payments:
    "id type uuid name icon notify_domain fixed_fee percent_fee currency config sort enable created_at updated_at deleted_at",
  prices: "model type channel_type input output locked extra_ratios",
  redemptions: "id user_id key status name quota created_time redeemed_time",
  statistics:
    "date user_id channel_id model_name request_count quota prompt_tokens completion_tokens request_time",
  tasks:
    "id created_at updated_at task_id platform user_id channel_id quota action status fail_reason submit_time start_time finish_time progress properties data notify_hook token_id",
  telegram_menus: "id command description parse_mode reply_message",
  tokens:
    "id user_id key status name created_time accessed_time expired_time remain_quota unlimited_quota used_quota group backup_group deleted_at setting",
  user_groups: "id symbol name ratio api_rate public promotion min max enable",
  users:
    "id username password display_name role status email avatar_url oidc_id github_id github_id_new wechat_id telegram_id lark_id access_token quota used_quota request_count group aff_code aff_count aff_quota aff_history inviter_id last_login_time last_login_ip created_time deleted_at",
  webauthn_credentials:
    "id user_id credential_id public_key attestation_type alias backup_eligible backup_state aa_guid sign_count clone_warning attachment created_time",
} as const;
