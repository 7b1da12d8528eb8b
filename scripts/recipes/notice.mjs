import { add } from "./edits.mjs";
import { kebab, sentenceCase } from "./names.mjs";

const events = "packages/shared/src/site/notice.ts";
const messages = "apps/server/src/notices/event-messages.ts";
const inboxTexts = "apps/web/src/features/inbox/entry-texts.ts";
const choices = "apps/web/src/features/settings/inputs/events-field.tsx";

export const notice = {
  about: "an event that operators are notified about",
  name: kebab,
  edits: (event) => [
    add(events, {
      after: "export const operatorEvents = {",
      before: "} as const",
      text: `  "${event}": { kind: "system", area: "settings" },\n`,
      unless: `"${event}"`,
    }),
    add(messages, {
      after: "export const eventMessages",
      before: "  test: {",
      text: `  "${event}": { title: () => "${sentenceCase(event)}", text: reason },\n`,
      unless: `"${event}"`,
    }),
    add(inboxTexts, {
      after: "  switch (event) {",
      before: '    case "notice-undelivered":',
      text: `    case "${event}":\n      return { title: t("${sentenceCase(event)}"), text: reason, to: "/panel/setting" };\n`,
      unless: `"${event}"`,
    }),
    add(choices, {
      after: "export const eventTitles",
      before: "};",
      text: `  "${event}": phrase("${sentenceCase(event)}"),\n`,
      unless: `"${event}"`,
    }),
  ],
  next: (event) => [
    `In ${events}, set the kind of the entry, and the area that administrators must be allowed to view.`,
    `Complete the texts in ${messages}, ${inboxTexts} and ${choices}, then run pnpm i18n and translate them.`,
    `Call raiseNotice(tx, { event: "${event}", topic, facts, reason }) in the transaction that causes it.`,
    "Describe it in docs/notifications.md.",
  ],
  most: 5,
  byHand: ["the file that raises it"],
  example: ["sample-event"],
  tests: ["apps/server/test/console/notice-channels.test.ts", "apps/web/src/features/inbox"],
};
