/** Errors of requests to the AI endpoints: unreadable bodies and invalid fields. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with one message. */
export const bodyMessages = {
  headers_too_large: phrase("The headers of the request are too large."),
};

/** Codes with a message per reason. */
export const bodyReasons = {
  body_too_large: {
    console_body_too_large: phrase("The body is too large."),
    body_over_megabytes: phrase("The body is larger than {{megabytes}} MB."),
    body_over_values: phrase("The body has more than {{most}} values."),
    body_over_containers: phrase("The body has more than {{most}} objects and arrays."),
    body_over_keys: phrase("The objects of the body have more than {{most}} fields in total."),
    body_object_over_keys: phrase("An object in the body has more than {{most}} fields."),
    body_expands: phrase("The compressed body expands to more than {{times}} times its size."),
    form_text_too_long: phrase("The text fields of the form are larger than {{kilobytes}} KB together."),
  },
  unsupported_media_type: {
    json_required: phrase("Send the body as application/json."),
    json_required_here: phrase("The body must be sent as application/json."),
    body_coding_unknown: phrase(
      "The Content-Encoding of the body is not supported. Use gzip, deflate, br or zstd, or send it uncompressed.",
    ),
  },
  upgrade_required: {
    realtime_needs_upgrade: phrase("A realtime session is opened as a WebSocket."),
    responses_need_upgrade: phrase("Send responses to this address with POST, or open it as a WebSocket."),
    responses_websocket_off: phrase(
      "Responses over WebSocket are disabled on this gateway. Send requests with POST.",
    ),
  },
  client_disconnected: {
    client_left_body: phrase("The body is incomplete: the client stopped sending it."),
    client_left: phrase("The client disconnected."),
    client_left_call: phrase("The client disconnected."),
  },
  request_timeout: {
    request_too_slow: phrase("The request was sent too slowly."),
    body_too_slow: phrase("The body was sent too slowly."),
  },
  invalid_request: {
    session_budget_amount: phrase('"x-session-budget" must be an amount in US dollars, for example 2.50.'),
    max_price_amount: phrase('"x-max-price" must be an amount in US dollars, for example 0.05.'),
    session_budget_unnamed: phrase(
      'A call with "x-session-budget" needs a session ID, for example in "x-session-id".',
    ),
    not_http: phrase("The request is not valid HTTP."),
    address_not_valid: phrase("The address is not valid."),
    host_twice: phrase("The request has more than one Host header."),
    address_nul: phrase("The address contains a NUL character."),
    parameter_spelling: phrase('The parameter "{{name}}" must be spelled "{{standard}}".'),
    parameter_repeated: phrase('The parameter "{{name}}" occurs more than once.'),
    body_fault: phrase("The request cannot be read: {{detail}}"),
    field_required: phrase('The field "{{field}}" is required.'),
    field_not_valid: phrase('The field "{{field}}" is not valid: {{detail}}.'),
    body_not_object: phrase("The request body must be a JSON object."),
    json_object_required: phrase("The body must be a JSON object."),
    json_object_type_required: phrase("The body must be a JSON object sent as application/json."),
    body_not_decompressed: phrase("The body cannot be decompressed with its Content-Encoding."),
    body_not_utf8: phrase("The body is not valid UTF-8."),
    body_not_json_at: phrase("The body is not valid JSON{{place}}."),
    body_too_deep: phrase("The body is nested more than {{most}} levels deep."),
    tool_arguments: phrase('The arguments of a tool call in "{{field}}" are not a JSON object.'),
    file_empty: phrase('The field "{{field}}" has neither a file_id nor file_data.'),
    embed_no_part: phrase('The field "{{field}}" has no part to embed.'),
    embed_sizes_differ: phrase("All vectors of a batch must have the same size for this model."),
    embed_text_only: phrase("This model can only embed text."),
    model_in_address: phrase("The address must name a model."),
    realtime_model_in_address: phrase("Name the model in the address: /v1/realtime?model=…"),
    no_content_for_model: phrase("None of the given content can be sent to this model."),
    no_content_for_bot: phrase("None of the given content can be sent to this bot."),
    thread_unsupported: phrase(
      'A thread cannot be combined with "{{field}}". Send the whole conversation, without "thread".',
    ),
    thread_fields: phrase(
      'A thread keeps its "system" and "tools". Send them only with the request that creates it.',
    ),
    interaction_agent: phrase('Agents are not served. Name a "model" instead of an "agent".'),
    interaction_unsupported: phrase('The gateway does not serve "{{field}}" in interactions. Omit it.'),
    videos_only: phrase("This endpoint only creates videos."),
    field_repeated: phrase('The field "{{field}}" occurs more than once.'),
    field_spelling: phrase('The field "{{field}}" must be spelled "{{standard}}".'),
    field_spelling_differs: phrase(
      'The fields "{{other}}" and "{{field}}" differ in spelling only. Send one of them.',
    ),
    form_required: phrase("The body must be sent as multipart/form-data."),
    form_field_not_billable: phrase('The field "{{field}}" cannot be billed. Remove it from the form.'),
    form_field_not_valid: phrase("{{field}}: {{detail}}"),
    form_field_spelling: phrase('The field "{{field}}" of the form must be spelled "{{standard}}".'),
    form_field_repeated: phrase('The field "{{field}}" occurs twice in the form.'),
    form_field_file_and_text: phrase('The field "{{field}}" occurs as a file and as text in the form.'),
    form_field_not_text: phrase('The field "{{field}}" of the form must be a text, not a file.'),
    form_headers_too_long: phrase("The headers of a part of the form are too long."),
    form_too_many_parts: phrase("The form has too many parts."),
    form_no_end: phrase("The multipart body is incomplete: its last boundary is missing."),
    form_empty: phrase("The multipart body has no fields."),
    form_ambiguous: phrase(
      'The form can be read in more than one way. Each part must have a header like `Content-Disposition: form-data; name="model"` and begin behind a boundary on a line of its own.',
    ),
    form_preamble: phrase("The multipart body must begin with its boundary."),
    form_content_type: phrase(
      "The Content-Type of the multipart body must be like `multipart/form-data; boundary=…`.",
    ),
    field_not_storable: phrase(
      'The field "{{field}}" has a character that cannot be stored: NUL, or half of a surrogate pair.',
    ),
    field_not_text: phrase(
      'The field "{{field}}" contains a character that is not allowed (NUL, or half of a surrogate pair). Remove it.',
    ),
    stored_response_not_streamed: phrase(
      'A stored response cannot be streamed. Request it without "stream".',
    ),
    response_complete: phrase("Only a background response can be cancelled, and this one is complete."),
    background_not_streamed: phrase(
      'A background response cannot be streamed. Omit "stream", and request the response by its ID.',
    ),
    background_in_conversation: phrase(
      'A background response cannot be part of a conversation. Use "previous_response_id".',
    ),
    model_cannot_cache: phrase('No provider of the model "{{model}}" keeps cached contents.'),
    cached_content_lifetime: phrase(
      "A cached content is kept for at least one second and at most {{days}} days from now on.",
    ),
    cached_content_expiry_missing: phrase('Set "ttl" or "expireTime".'),
    model_cannot_background: phrase('No provider of the model "{{model}}" supports background responses.'),
    compaction_unreadable: phrase(
      'The compacted conversation in "{{field}}" cannot be read. It belongs to another account or was changed.',
    ),
    conversation_id: phrase('The field "conversation" must be the ID of a conversation.'),
    previous_or_conversation: phrase('Only one of "previous_response_id" and "conversation" can be given.'),
    conversation_full: phrase(
      "A conversation can contain at most {{megabytes}} MB. Start another one, or delete items from it.",
    ),
    task_without_picture: phrase("The earlier task has no image yet."),
    socket_event_unknown: phrase('The event "{{event}}" is not supported. Send "response.create".'),
    socket_message_not_text: phrase("Send each event as a text message of JSON."),
    socket_field: phrase('The field "{{field}}" is not supported over WebSocket.'),
    socket_busy: phrase(
      "A response is in progress on this connection. Wait until it is complete, or open another connection.",
    ),
    socket_age: phrase(
      "The connection reached its limit of {{minutes}} minutes. Open a new connection to continue.",
    ),
    socket_idle: phrase("The connection was closed because no event arrived within {{seconds}} s."),
    session_idle: phrase("The session was closed because neither side sent an event within {{seconds}} s."),
    too_many_references: phrase("References may name items of at most {{most}} responses."),
    too_many_realtime_secrets: phrase(
      "At most {{most}} client secrets of a key can be valid at once. Wait until some expire.",
    ),
    pin_not_for_secret: phrase("A client secret cannot name a channel. Use the key without its suffix."),
    realtime_sessions_only: phrase("Client secrets are made for sessions of the type realtime."),
    session_too_long: phrase("The settings of the session can have at most {{most}} characters."),
    secret_for_other_model: phrase("The client secret was made for the model {{model}}."),
    too_many_domains: phrase(
      "A web search can name at most {{most}} domains of at most {{characters}} characters.",
    ),
    too_many_searches: phrase("At most {{most}} searches can be requested at once."),
    too_many_addresses: phrase("At most {{most}} URLs of images and files can be fetched."),
    files_too_large: phrase("The files together are larger than {{megabytes}} MB."),
    fetched_not_image: phrase("The URL returned {{mediaType}}, not an image."),
    fetched_not_audio: phrase("The URL returned {{mediaType}}, not audio."),
    no_pass_through: phrase(
      "Channel {{channel}} uses {{provider}}, which has no files, batches or assistants in OpenAI's format.",
    ),
    field_not_served: phrase('This provider does not support the field "{{field}}".'),
    prompt_not_sendable: phrase("The prompt cannot be sent to this provider."),
    speech_not_valid: phrase("The speech request is not valid."),
    speech_format: phrase('The format "{{format}}" is not supported.'),
    kling_kind: phrase("This endpoint only supports text2video and image2video."),
    suno_kind: phrase("This endpoint only supports music and lyrics."),
    suno_task_id: phrase('The field "task_id" must name the task whose clip is continued.'),
    midjourney_task: phrase('The field "{{field}}" must name the task to continue.'),
    midjourney_action: phrase('The field "action" must be UPSCALE, VARIATION or REROLL.'),
    midjourney_content: phrase('The field "content" must be a task ID followed by U1 to U4, V1 to V4 or R.'),
    midjourney_button: phrase('The field "customId" must be the ID of a button of the task.'),
  },
};
