/** Where the card of the sign-in providers is on the screen, for its index. */
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("settings");

export const providersSection = {
  id: "identity-providers",
  title: phrase("Sign-in providers of organizations"),
  help: "sign-in#providers-of-organizations",
};
