/** Columns of LiteLLM's tables that are read or looked at, as of release 1.106. */
export const litellmColumns = {
  LiteLLM_VerificationToken:
    "token key_name key_alias soft_budget_cooldown spend expires models aliases config user_id team_id permissions max_parallel_requests metadata blocked tpm_limit rpm_limit max_budget budget_duration budget_reset_at allowed_cache_controls model_spend model_max_budget budget_id organization_id created_at created_by updated_at updated_by allowed_routes object_permission_id auto_rotate key_rotation_at last_rotation_at rotation_count rotation_interval project_id router_settings policies access_group_ids last_active agent_id budget_limits budget_fallbacks key_type settings_updated_at tpd_limit total_spend",
  LiteLLM_DeprecatedVerificationToken: "id token active_token_id revoke_at created_at",
  LiteLLM_UserTable:
    "user_id user_alias team_id sso_user_id organization_id password teams user_role max_budget spend user_email models metadata max_parallel_requests tpm_limit rpm_limit budget_duration budget_reset_at allowed_cache_controls model_spend model_max_budget created_at updated_at object_permission_id policies password_reset_required last_breach_check_at",
  LiteLLM_TeamTable:
    "team_id team_alias organization_id admins members members_with_roles metadata max_budget spend models max_parallel_requests tpm_limit rpm_limit budget_duration budget_reset_at blocked created_at updated_at model_spend model_max_budget model_id team_member_permissions object_permission_id router_settings policies allow_team_guardrail_config soft_budget access_group_ids budget_limits default_team_member_models tpd_limit",
  LiteLLM_TeamMembership: "user_id team_id spend budget_id total_spend",
  LiteLLM_OrganizationTable:
    "organization_id organization_alias budget_id metadata models spend model_spend created_at created_by updated_at updated_by object_permission_id",
  LiteLLM_BudgetTable:
    "budget_id max_budget soft_budget max_parallel_requests tpm_limit rpm_limit model_max_budget budget_duration budget_reset_at created_at created_by updated_at updated_by allowed_models tpd_limit temp_budget_increase temp_budget_expiry",
  LiteLLM_EndUserTable:
    "user_id alias spend allowed_model_region default_model budget_id blocked object_permission_id models",
  LiteLLM_ProxyModelTable:
    "model_id model_name litellm_params model_info created_at created_by updated_at updated_by blocked",
  LiteLLM_CredentialsTable:
    "credential_id credential_name credential_values credential_info created_at created_by updated_at updated_by display_name",
  LiteLLM_Config: "param_name param_value last_run_at reload_revision",
  LiteLLM_DailyUserSpend:
    "id user_id date api_key model model_group custom_llm_provider prompt_tokens completion_tokens spend created_at updated_at api_requests failed_requests successful_requests cache_creation_input_tokens cache_read_input_tokens mcp_namespaced_tool_name endpoint compression_saved_tokens compression_savings_spend prompt_caching_savings_spend autorouter_savings_spend gateway_injected_caching_savings_spend total_response_time_ms timed_requests",
  LiteLLM_SpendLogs:
    "request_id call_type api_key spend total_tokens prompt_tokens completion_tokens startTime endTime completionStartTime model model_id model_group custom_llm_provider api_base user metadata cache_hit cache_key request_tags team_id end_user requester_ip_address messages response proxy_server_request session_id status mcp_namespaced_tool_name organization_id agent_id request_duration_ms created_at updated_at litellm_call_id billing_agent_id",
} as const;

/** Tables that this gateway has no place for: the report counts their rows. */
export const litellmLost = [
  "LiteLLM_OrganizationTable",
  "LiteLLM_EndUserTable",
  "LiteLLM_TeamMembership",
] as const;
