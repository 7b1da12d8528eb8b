/** The content of Help as the build makes it from docs/. Used by the build, too: no imports of the app. */

export type HelpLanguage = "en_US" | "zh_CN";

/** Text within a line. A plain string has no format. */
export type Inline =
  | string
  | { kind: "code"; text: string }
  | { kind: "strong" | "emphasis"; children: Inline[] }
  | { kind: "break" }
  /** Another site. */
  | { kind: "outside"; href: string; children: Inline[] }
  /** A page of Help. */
  | { kind: "page"; page: string; anchor: string; children: Inline[] };

export type Block =
  | { kind: "heading"; level: number; id: string; children: Inline[] }
  | { kind: "paragraph"; children: Inline[] }
  /** A line of a list without paragraphs. */
  | { kind: "line"; children: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; start: number | null; items: Block[][] }
  | { kind: "table"; aligns: ("left" | "center" | "right" | null)[]; head: Inline[][]; rows: Inline[][][] };

export type HelpPage = { title: string; blocks: Block[] };

/** A heading of a page. */
export type HelpSection = {
  /** The anchor: that of the English page in every language. */
  id: string;
  title: string;
  level: number;
  /** Names of settings, error codes and commands in the section, for the search. */
  terms: string;
};

/** A page in the list of pages. */
export type HelpEntry = {
  id: string;
  title: string;
  description: string;
  /** English when the page is not translated. */
  language: HelpLanguage;
  /** The English page has changed since it was translated. */
  outdated: boolean;
  sections: HelpSection[];
};

export type HelpIndex = { title: string; pages: HelpEntry[] }[];
