/** Errors of channels, models, model owners and providers. */
import { phrase } from "./phrase.ts";

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
    test_running: phrase("A test is running already."),
    balances_running: phrase("Balances are being refreshed already."),
    models_running: phrase("The model lists are being checked already."),
    model_described: phrase("This model already has a description"),
    owner_id_taken: phrase("This id is taken"),
    owner_in_use: phrase("Prices belong to this owner. Give them another owner first"),
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
    owner_built_in: phrase("This owner comes with the product and cannot be deleted"),
    no_model_left: phrase("The channel would have no model left."),
    no_group_left: phrase("The channel would have no group left."),
    credentials_moved: phrase(
      "Stored credentials are only sent to the address and proxy they were entered for. Enter them again.",
    ),
    no_stored_value: phrase("Enter this value: there is no stored one to keep."),
    proxy_password_again: phrase(
      "Enter the proxy's password again: it is only kept for the same proxy and user.",
    ),
    test_model_required: phrase("Enter a test model."),
    channel_type_unknown: phrase("Unknown channel type"),
    groups_unknown: phrase("There is no group named {{groups}}."),
    channel_key_required: phrase("API key is required"),
    channel_address_required: phrase("API address is required"),
    address_has_password: phrase("The address must not contain a user name or password."),
    address_has_query: phrase("The address must end before any ? or #."),
    channels_not_changed: phrase("Not every channel could be changed. {{failures}}"),
    model_list_unreadable: phrase("This is not a list of models."),
    model_list_too_long: phrase("A list has at most {{most}} models."),
    model_list_not_answered: phrase("The address did not return a list of models."),
  },
  upstream_failed: {
    model_list_failed: phrase("The model list could not be fetched: {{detail}}"),
    model_list_foreign: phrase("The model list could not be fetched: the response is not a list of models."),
    balance_failed: phrase("The balance could not be fetched: {{detail}}"),
    balance_foreign: phrase("The balance could not be fetched: the response does not contain one."),
  },
};
