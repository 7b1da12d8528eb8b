/** Errors of API keys and their limits. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with one message. */
export const keyMessages = {
  token_disabled: phrase("This API key is disabled."),
  token_expired: phrase("This API key has expired."),
  address_not_allowed: phrase("This API key may not be used from {{ip}}."),
  method_not_allowed: phrase("This gateway does not serve {{method}} {{path}}."),
};

/** Codes with a message per reason. */
export const keyReasons = {
  invalid_api_key: {
    api_key_unknown: phrase("The API key is not valid."),
    api_key_missing: phrase("No API key was given. Send it as `Authorization: Bearer sk-…`."),
    derived_key_unreadable: phrase(
      "The derived API key cannot be read. It is incomplete, or has a restriction that this gateway does not know. Derive it again.",
    ),
    derived_key_expiry: phrase(
      "A derived API key must expire within {{days}} days. Derive it again with an expiry (`exp`).",
    ),
    derived_key_revoked: phrase("This derived API key was revoked."),
  },
  model_not_allowed: {
    model_not_for_key: phrase('This API key may not use the model "{{model}}".'),
    transcriber_not_for_key: phrase('This API key may not use the model "{{model}}" for transcription.'),
  },
  group_not_allowed: {
    group_not_for_key: phrase('This API key may not use the group "{{group}}".'),
  },
  model_not_found: {
    model_unknown: phrase('The model "{{model}}" does not exist or is not available to this key.'),
    model_disabled: phrase(
      'The model "{{model}}" is disabled by the operator of this gateway. Use another model.',
    ),
    model_unknown_to_provider: phrase('No provider offers the model "{{model}}".'),
  },
  forbidden: {
    pin_by_admins_only: phrase("Only administrators may choose a channel."),
    derived_key_makes_no_secret: phrase(
      "A derived API key cannot create keys for realtime sessions. Use it for the session itself, or create the key with the API key that it was derived from.",
    ),
    pin_needs_edit_right: phrase("Choosing a channel for a call requires permission to edit channels."),
    pin_required: phrase(
      "Files, batches, assistants and similar objects belong to one provider account. An administrator can use them by adding the channel ID to the API key: `sk-…#12`.",
    ),
    anthropic_api_off: phrase("The Anthropic API is disabled on this gateway."),
    gemini_api_off: phrase("The Gemini API is disabled on this gateway."),
  },
  conflict: {
    request_id_taken: phrase("A request with this ID is in progress."),
    task_name_taken: phrase("The provider returned the ID of another task."),
    too_many_tokens: phrase(
      "This account has reached the limit of {{most}} tokens. Delete tokens that you no longer use.",
    ),
    too_many_conversations: phrase(
      "This account has reached the limit of {{most}} conversations. Delete some to start another.",
    ),
    too_many_derived_keys: phrase(
      "Too many derived keys are in use. An API key can have {{most}}, of which {{most_of_one}} can begin with the same derived key. Use a derived key again, or wait until some have expired.",
    ),
    conversations_too_large: phrase(
      "The conversations of this account have reached the limit of {{megabytes}} MB. Delete some to continue.",
    ),
  },
  rate_limit_exceeded: {
    wrong_keys_from_address: phrase(
      "Too many requests with a wrong API key came from this address. Check the key, and try again later.",
    ),
    one_call_at_once: phrase("This API key may have one call in progress at a time."),
    abandoned_calls: phrase(
      "{{calls}} responses whose clients disconnected are still being written. Repeat the call when some of them have ended.",
    ),
    calls_at_once: phrase("This API key may have {{calls}} calls in progress at the same time."),
    sockets_at_once: phrase("This account may have {{limit}} WebSocket connections open at the same time."),
    uploads_at_once: phrase(
      "The uploads of this account that are in progress may have {{megabytes}} MB together. Repeat the call when some of them have ended.",
    ),
    session_budget_reserved: phrase(
      "Other calls of this session have reserved the rest of its budget of {{limit}}. Try again when they have ended.",
    ),
    derived_key_reserved: phrase(
      "Other calls have reserved the rest of the {{limit}} that this derived API key may spend ({{label}}). Try again when they have ended.",
    ),
    account_requests_per_minute: phrase("This account may send {{limit}} requests per minute."),
    key_requests_per_minute: phrase("This API key may send {{limit}} requests per minute."),
    key_tokens_per_minute: phrase(
      "This API key may use {{limit}} tokens per minute, input and output together.",
    ),
  },
  not_found: {
    task_not_found: phrase("Task not found."),
    call_not_found: phrase("Call not found."),
    derived_key_not_found: phrase("Derived key not found."),
    agent_session_not_found: phrase("No calls of this session were found."),
    image_not_found: phrase("Image not found."),
    gateway_address_not_found: phrase("This address was not found. Check the path."),
    customizing_address_not_found: phrase("The address was not found."),
    route_not_served: phrase("This gateway does not serve {{method}} {{path}}."),
    path_outside_api: phrase(
      "This gateway does not serve {{method}} {{path}}. The addresses of its API begin with {{base}}/v1 or {{base}}/v1beta.",
    ),
    method_not_served_here: phrase("The method {{method}} is not supported for this path."),
    gemini_action: phrase('The action "{{action}}" is not supported.'),
    batches_not_served: phrase("This gateway does not offer the Message Batches API."),
    item_not_found: phrase('The item "{{id}}" was not found.'),
    cached_content_not_found: phrase(
      'The cached content "{{name}}" was not found, or it belongs to another API key.',
    ),
    cached_content_channel_gone: phrase("The channel of this cached content no longer exists."),
    response_not_found: phrase('The response "{{id}}" was not found.'),
    response_channel_gone: phrase("The channel of this response no longer exists."),
    previous_response_not_found: phrase(
      'The response "{{id}}" was not found. It was not stored, has expired, or belongs to another account.',
    ),
    thread_not_found: phrase(
      'No thread continues from the message "{{id}}". It was not stored, has expired, or belongs to another account.',
    ),
    interaction_not_found: phrase('The interaction "{{id}}" was not found.'),
    previous_interaction_not_found: phrase(
      'The interaction "{{id}}" was not found. It was not stored, has expired, or belongs to another account.',
    ),
    conversation_not_found: phrase('The conversation "{{id}}" was not found.'),
  },
};
