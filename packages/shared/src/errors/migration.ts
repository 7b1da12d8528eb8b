/** Errors of imports from other gateways. */
import { phrase } from "./phrase.ts";

/** Codes with a message per reason. */
export const migrationReasons = {
  conflict: {
    import_running: phrase("An import is running already. Wait until it has ended, or cancel it."),
    import_file_present: phrase("This import has its file already."),
    source_other_product: phrase(
      "{{origin}} is a {{other}} database, not one of {{product}}. Choose {{other}}.",
    ),
    source_unknown: phrase(
      "{{origin}} is not a {{product}} database, or of a version that this gateway does not know. Missing: {{missing}}.",
    ),
    source_unreadable: phrase(
      "{{origin}} cannot be read: {{detail}}. Check the address, user, password and database name.",
    ),
    source_not_sqlite: phrase(
      "{{origin}} is not an SQLite database. Copy the file again, without compressing it.",
    ),
    source_file_unreadable: phrase(
      "{{origin}} cannot be read ({{detail}}). Stop the other gateway and copy its database file again.",
    ),
    target_not_empty: phrase(
      "This installation is not empty: it has {{found}}. An import goes into a new installation only.",
    ),
  },
  not_found: {
    import_not_found: phrase("This import does not exist."),
  },
  invalid_request: {
    import_product_unknown: phrase("Choose one of the listed gateways."),
    import_address: phrase(
      "Enter an address like mysql://user:password@host:3306/database or postgres://user:password@host:5432/database. Percent-encode special characters in the password.",
    ),
    import_address_option: phrase('The address has the option "{{option}}", which cannot be used here.'),
  },
  body_too_large: {
    import_file_too_large: phrase(
      "The file is larger than {{gigabytes}} GB. Import it on the command line instead: gateway import.",
    ),
  },
};
