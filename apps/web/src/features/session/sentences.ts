/** Sentences the schemas and the server use on the way in, so that every language has them. Only the extractor reads this. */
import { phrase } from "#lib/i18n.ts";

export const entrySentences = [
  phrase("Name is required"),
  phrase("The address must not contain a user name or password."),
  phrase("Not found"),
  phrase("The user name needs at least 3 characters"),
  phrase("The user name may hold letters, digits, dots, hyphens and underscores"),
  phrase("This user name is taken."),
  phrase("The password needs at least 8 characters"),
  phrase("The password may have at most 200 characters"),
  phrase("The current password is wrong"),
  phrase("Enter the code"),
  phrase("Too many requests from this address. Try again later."),
  phrase("Too many wrong codes. Wait a quarter of an hour and try again."),
  phrase("This is not an e-mail address"),
  phrase("Enter your e-mail address"),
  phrase("The code has 6 digits"),
  phrase("The code is wrong or has expired"),
  phrase("This e-mail address belongs to another account"),
  phrase("E-mail addresses of this domain are not accepted here"),
  phrase("A mail was just sent there. Wait a minute before asking for another."),
  phrase("Too many mails were sent there. Try again in a few minutes."),
  phrase("The mail could not be sent. Try again later."),
  phrase("Too many wrong passwords for this account. Wait a moment and try again."),
  phrase("The check could not be made. Try again in a moment."),
  phrase("Something went wrong on our side."),
] as const;
