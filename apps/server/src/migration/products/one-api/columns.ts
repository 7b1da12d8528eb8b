/** Columns of One API's tables as of February 2025. */
export const oneApiColumns = {
  abilities: "group model channel_id enabled priority",
  channels:
    "id type key status name weight created_time test_time response_time base_url other balance balance_updated_time models group used_quota model_mapping priority config system_prompt",
  logs: "id user_id created_at type content username token_name model_name quota prompt_tokens completion_tokens channel_id request_id elapsed_time is_stream system_prompt_reset",
  options: "key value",
  redemptions: "id user_id key status name quota created_time redeemed_time",
  tokens:
    "id user_id key status name created_time accessed_time expired_time remain_quota unlimited_quota used_quota models subnet",
  users:
    "id username password display_name role status email github_id wechat_id lark_id oidc_id access_token quota used_quota request_count group aff_code inviter_id",
} as const;
