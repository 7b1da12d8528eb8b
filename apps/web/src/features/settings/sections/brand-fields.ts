/** Settings of the name, the look and the texts of the site. */
import { phrasesIn } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";

const phrase = phrasesIn("settings");

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
        hint: phrase("A URL, or an image file of at most 60 KB. Leave it empty for the default logo."),
      },
      {
        key: "AccentColor",
        kind: "color",
        label: phrase("Accent color"),
        hint: phrase(
          "Used for buttons, links and the default logo. It is adjusted where text would be hard to read.",
        ),
      },
    ],
  },
  {
    id: "status-page",
    title: phrase("Status page"),
    help: "settings#texts-and-looks",
    hint: phrase("Shows the availability of the models in public groups at /status, without sign-in."),
    fields: [
      {
        key: "StatusPageEnabled",
        kind: "switch",
        label: phrase("Public status page"),
        hint: phrase(
          "Shows the last 24 hours and 90 days of each model. Channels and call counts are not shown.",
        ),
      },
    ],
  },
  {
    id: "notice",
    title: phrase("Notice"),
    help: "settings#texts-and-looks",
    hint: phrase("Shown once to each user when it changes. After that, users can open it from the bell."),
    fields: [{ key: "Notice", kind: "content", label: phrase("Notice") }],
  },
  {
    id: "home",
    title: phrase("Home page"),
    help: "settings#texts-and-looks",
    hint: phrase("Markdown, HTML, or a URL to show in a frame. Leave it empty for the default page."),
    fields: [
      { key: "HomePageContent", kind: "content", label: phrase("Home page") },
      {
        key: "HomeBlocks",
        kind: "home-blocks",
        label: phrase("Parts of the default page"),
        hint: phrase("Shown below the headline. They have no effect while the page has its own content."),
      },
    ],
  },
  {
    id: "about",
    title: phrase("About page"),
    help: "settings#texts-and-looks",
    hint: phrase("Markdown or HTML. Leave it empty for the default page."),
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
