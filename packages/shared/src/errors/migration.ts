/** Errors of imports from other gateways. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with a message per reason. */
export const migrationReasons = {
  conflict: {
    import_running: phrase("An import is already running. Wait until it has ended, or cancel it."),
    import_file_present: phrase("This import already has a file."),
    source_other_product: phrase(
      "{{origin}} is a {{other}} database, not one of {{product}}. Choose {{other}}.",
    ),
    source_unknown: phrase(
      "{{origin}} is not a {{product}} database, or its version is not supported. Missing: {{missing}}.",
    ),
    source_unreadable: phrase(
      "{{origin}} cannot be read: {{detail}}. Check the address, user, password and database name.",
    ),
    source_empty: phrase(
      "{{origin}} has no tables in the schema that is read. Check the database name, or add the schema to the address, like ?schema=gateway. Schemas with tables: {{schemas}}.",
    ),
    source_not_sqlite: phrase(
      "{{origin}} is not an SQLite database. Copy the file again, without compressing it.",
    ),
    source_file_unreadable: phrase(
      "{{origin}} cannot be read ({{detail}}). Stop the other gateway and copy its database file again.",
    ),
    source_row_rejected: phrase(
      "The database rejects a row of {{kind}}: {{detail}}. Nothing was changed. Correct the row in a copy of the old database, and import the copy.",
    ),
    old_gateway_silent: phrase(
      "{{origin}} did not respond within {{seconds}} seconds. Check that the old gateway is running and not overloaded, and try again.",
    ),
    old_gateway_unreachable: phrase(
      "{{origin}} cannot be reached. Check the address, and that this server may connect to it.",
    ),
    old_gateway_token: phrase(
      "{{origin}} rejects the access token (HTTP {{status}}). Enter the access token of the account that owns the key. New API also needs the user ID of this account.",
    ),
    old_gateway_other: phrase(
      "{{origin}} does not respond like the management API of a gateway. Check the address.",
    ),
    comparison_running: phrase("A comparison is already running. Wait until it has ended."),
    comparison_cancelled: phrase("The comparison was cancelled. Start it again."),
    comparison_owners: phrase(
      'More than one account has a key with the name "{{key}}" in {{origin}}. Enter the owner of the key.',
    ),
    comparison_too_large: phrase("There are more than {{calls}} calls. Choose a shorter period."),
    comparison_timeout: phrase(
      "The comparison took longer than {{minutes}} minutes. Choose a shorter period, or use the command line: gateway compare.",
    ),
    litellm_salt_missing: phrase(
      "LiteLLM has encrypted {{name}} of {{owner}}. Enter its LITELLM_SALT_KEY, or its master key if that is not set.",
    ),
    litellm_salt_wrong: phrase(
      "The salt key does not decrypt {{name}} of {{owner}}. Enter the LITELLM_SALT_KEY with which it was written, or the master key if that was not set.",
    ),
    litellm_config_not_yaml: phrase("{{name}} is not valid YAML: {{detail}}"),
    litellm_config_unknown: phrase(
      "{{name}} is not a LiteLLM configuration: it has no model_list. Choose the file that LiteLLM starts with.",
    ),
    target_not_empty: phrase(
      "This installation is not empty: it has {{found}}. An import goes into a new installation only: start this gateway with an empty database, and import before you set it up.",
    ),
  },
  not_found: {
    import_not_found: phrase("This import does not exist."),
    comparison_not_found: phrase("This comparison does not exist."),
  },
  invalid_request: {
    import_product_unknown: phrase("Choose one of the listed gateways."),
    gateway_address: phrase(
      "Enter the address of the old gateway without a path, for example https://old.example.com.",
    ),
    comparison_no_api: phrase("Enter the address of the database. {{product}} is read from its database."),
    import_address: phrase(
      "Enter an address like mysql://user:password@host:3306/database or postgres://user:password@host:5432/database. Percent-encode special characters in the password.",
    ),
    import_address_postgres: phrase(
      "Enter the address of a Postgres database, like postgres://user:password@host:5432/litellm.",
    ),
    import_address_option: phrase('The address has the option "{{option}}", which cannot be used here.'),
  },
  body_too_large: {
    import_file_too_large: phrase(
      "The file is larger than {{gigabytes}} GB. Import it on the command line instead: gateway import.",
    ),
  },
};
