/** Settings of the name, the look and the texts of the site. */
import { phrase } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";

export const brandSections: SettingSection[] = [
  {
    id: "identity",
    title: phrase("Identity"),
    help: "settings#texts-and-looks",
    preview: "brand",
    fields: [
      { key: "SystemName", kind: "text", label: phrase("System name") },
      {
        key: "Language",
        kind: "language",
        label: phrase("Default language"),
        hint: phrase("For visitors whose browser uses a language that the site does not support."),
      },
      {
        key: "Logo",
        kind: "logo",
        label: phrase("Logo"),
        hint: phrase("A URL or a small image. Leave it empty for the default logo."),
      },
      {
        key: "AccentColor",
        kind: "color",
        label: phrase("Accent color"),
        hint: phrase(
          "Buttons, links and the default logo. It is made darker or lighter where text needs it.",
        ),
      },
    ],
  },
  {
    id: "status-page",
    title: phrase("Status page"),
    help: "settings#texts-and-looks",
    hint: phrase("Anyone can see at /status how available the models of the public groups are."),
    fields: [
      {
        key: "StatusPageEnabled",
        kind: "switch",
        label: phrase("Public status page"),
        hint: phrase(
          "Shows 24 hours and 90 days of each model. Channels and numbers of calls are not shown.",
        ),
      },
    ],
  },
  {
    id: "notice",
    title: phrase("Notice"),
    help: "settings#texts-and-looks",
    hint: phrase("Shown once to every user when it is new, and later from the bell."),
    fields: [{ key: "Notice", kind: "content", label: phrase("Notice") }],
  },
  {
    id: "home",
    title: phrase("Home page"),
    help: "settings#texts-and-looks",
    hint: phrase("Markdown, HTML, or an address that is shown in a frame. Empty shows our page."),
    fields: [{ key: "HomePageContent", kind: "content", label: phrase("Home page") }],
  },
  {
    id: "about",
    title: phrase("About page"),
    help: "settings#texts-and-looks",
    hint: phrase("Markdown or HTML. Empty shows our page."),
    fields: [{ key: "About", kind: "content", label: phrase("About page") }],
  },
  {
    id: "footer",
    title: phrase("Footer"),
    help: "settings#texts-and-looks",
    hint: phrase("Shown below every public page. Leave it empty for the default."),
    fields: [{ key: "Footer", kind: "content", label: phrase("Footer") }],
  },
];
