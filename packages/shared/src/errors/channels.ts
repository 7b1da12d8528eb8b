/** Errors of channels, models, model owners and providers. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with a message per reason. */
export const channelReasons = {
  conflict: {
    last_key: phrase("This is the last enabled key. Disable the channel instead, or add another key first."),
    channel_secrets_unreadable: phrase(
      "The stored proxy password, headers and parameters cannot be decrypted with this server's SECRET_KEY. Enter them again.",
    ),
    channel_key_unreadable: phrase(
      "The stored key cannot be decrypted with this server's SECRET_KEY. Enter the key again.",
    ),
    named_channel_key_unreadable: phrase(
      "The stored key of {{channel}} cannot be decrypted with this server's SECRET_KEY. Enter the key again.",
    ),
    test_model_missing: phrase("Enter a test model first. All models of this channel are wildcards."),
    run_not_due: phrase("The next run is not due yet."),
    test_running: phrase("A test is already running."),
    balances_running: phrase("Balances are already being refreshed."),
    models_running: phrase("The model lists are already being checked."),
    model_described: phrase("This model is already in the catalogue"),
    owner_id_taken: phrase("This id is taken"),
    owner_in_use: phrase("Some prices refer to this owner. Assign them to another owner first"),
  },
  not_found: {
    channel_not_found: phrase("Channel not found."),
    key_not_found: phrase("Key not found."),
    run_not_found: phrase("Run not found."),
    tag_not_found: phrase("Tag not found."),
    icon_not_found: phrase("Icon not found."),
    model_info_not_found: phrase("Model not found."),
    owner_not_found: phrase("Model owner not found."),
    pinned_channel_not_found: phrase("Channel {{channel}} does not exist or is disabled."),
  },
  invalid_request: {
    owner_built_in: phrase("This owner is built in and cannot be deleted"),
    no_model_left: phrase("At least one model must remain on the channel."),
    no_group_left: phrase("At least one group must remain on the channel."),
    credentials_moved: phrase("The address or proxy has changed. Enter the credentials again."),
    key_reference_root: phrase("Only the root account can enter a reference to a key."),
    key_reference_bound: phrase(
      "The key of this channel is a reference. Only the root account can change where it is sent.",
    ),
    key_reference_invalid: phrase("This reference is not valid. Its form is {{form}}."),
    key_reference_provider: phrase('{{provider}} does not accept the sign-in "{{source}}:".'),
    no_stored_value: phrase("Enter this value. No value is stored yet."),
    proxy_password_again: phrase(
      "Enter the proxy's password again. The stored password only applies to the same proxy and user.",
    ),
    test_model_required: phrase("Enter a test model."),
    channel_type_unknown: phrase("Channel type error"),
    groups_unknown: phrase("There is no group named {{groups}}."),
    channel_key_required: phrase("API key is required"),
    channel_address_required: phrase("API address is required"),
    address_has_password: phrase("The address must not contain a username or password."),
    address_has_query: phrase("The address must end before any ? or #."),
    channels_not_changed: phrase("Not every channel could be changed. {{failures}}"),
    model_list_unreadable: phrase("This is not a list of models."),
    model_list_too_long: phrase("A list has at most {{most}} models."),
    model_list_not_answered: phrase("The address did not return a list of models."),
  },
  upstream_failed: {
    model_list_failed: phrase("Failed to get model list: {{detail}}"),
    model_list_foreign: phrase("Failed to get model list: the response is not a list of models."),
    balance_failed: phrase("The balance could not be fetched: {{detail}}"),
    balance_foreign: phrase("The balance could not be fetched: the response does not contain one."),
  },
};
