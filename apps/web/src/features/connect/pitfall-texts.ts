/** One sentence for each mistake that is often made with a client. Translate it with `t(text)` when displayed. */
import type { Pitfall } from "@gateway/shared/connect/connection";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("connect");

export const pitfallTexts: Record<Pitfall, string> = {
  "no-v1": phrase("Enter the base URL without /v1. The client adds the path."),
  "with-v1": phrase("Enter the base URL with /v1."),
  "one-credential": phrase(
    "Unset ANTHROPIC_API_KEY. If it is set, Claude Code sends it or asks which key to use.",
  ),
  "background-model": phrase(
    "Claude Code also calls a small model in the background. This model must be available here, so the settings use the same model for both.",
  ),
  "claude-names": phrase(
    "The model menu of Claude Code lists only models with “claude” in their name. To use another model, enter its name in the settings.",
  ),
  "responses-only": phrase(
    'Codex accepts only wire_api = "responses". The gateway translates it for every model.',
  ),
  "root-keys-first": phrase(
    "The lines model and model_provider must come before the first section in brackets.",
  ),
  "selected-type": phrase(
    "Set security.auth.selectedType in the settings. Otherwise, the client asks you to sign in.",
  ),
  "project-env": phrase("A .env file in your project takes precedence over the one in your home folder."),
  "host-without-path": phrase("Enter the API host without /v1. Cherry Studio adds it."),
  "host-of-container": phrase(
    "In a container, localhost is the container itself. Use an address that the container can reach, such as host.docker.internal.",
  ),
  restart: phrase("Restart the application after you change its files."),
  "key-in-code": phrase("Do not commit the key. Read it from an environment variable."),
};
