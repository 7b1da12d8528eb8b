/** The messages of each feature and of the palette, which are loaded with its first screen. */
import { consoleMessages, loadMessagesOf, type MessageFiles, type Messages } from "./i18n.ts";

/** The names are those of the folders in `features`; `split-messages.ts` finds their texts. */
const files = {
  console: consoleMessages,
  analytics: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=analytics",
    import: "default",
  }),
  "audit-log": import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=audit-log",
    import: "default",
  }),
  "channel-parts": import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=channel-parts",
    import: "default",
  }),
  channels: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=channels", import: "default" }),
  connect: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=connect", import: "default" }),
  diagnostics: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=diagnostics",
    import: "default",
  }),
  groups: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=groups", import: "default" }),
  help: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=help", import: "default" }),
  inbox: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=inbox", import: "default" }),
  logs: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=logs", import: "default" }),
  migration: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=migration",
    import: "default",
  }),
  "model-info": import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=model-info",
    import: "default",
  }),
  "model-prices": import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=model-prices",
    import: "default",
  }),
  owners: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=owners", import: "default" }),
  payments: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=payments", import: "default" }),
  overview: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=overview", import: "default" }),
  usage: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=usage", import: "default" }),
  playground: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=playground",
    import: "default",
  }),
  prices: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=prices", import: "default" }),
  profile: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=profile", import: "default" }),
  redemptions: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=redemptions",
    import: "default",
  }),
  sessions: import.meta.glob<Messages>("/src/locales/*.json", {
    query: "?part=sessions",
    import: "default",
  }),
  settings: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=settings", import: "default" }),
  tasks: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=tasks", import: "default" }),
  telegram: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=telegram", import: "default" }),
  tokens: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=tokens", import: "default" }),
  "top-up": import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=top-up", import: "default" }),
  users: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=users", import: "default" }),
  palette: import.meta.glob<Messages>("/src/locales/*.json", { query: "?part=palette", import: "default" }),
} satisfies Record<string, MessageFiles>;

export type MessagesOf = keyof typeof files;

/** Loads the messages of a feature's screens and of the console, on which they build. */
export function loadScreenMessages(...features: MessagesOf[]): Promise<void> {
  return loadMessagesOf(consoleMessages, ...features.map((feature) => files[feature]));
}
