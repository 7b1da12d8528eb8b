import { escapeHtml } from "@gateway/shared/escape-html";
import { type Language, tagOf } from "./language.ts";

/**
 * Layout of a mail: one narrow card that is readable in light and dark mode and on phones, without any
 * picture or external style sheet. All content is escaped.
 */
export interface Letter {
  language: Language;
  /** Name of this installation. */
  sender: string;
  /** "" means none is configured. */
  siteUrl: string;
  title: string;
  paragraphs: readonly string[];
  /** Shown large, for the reader to type in. */
  code?: string;
  button?: {
    label: string;
    url: string;
    /** Shown above the plain address. */ otherwise: string;
    /** For white text. */ color: string;
  };
  /** Facts as pairs of name and value. */
  facts?: readonly (readonly [string, string])[];
  /** Small text at the end. */
  closing?: string;
}

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

export function renderLetter(letter: Letter): RenderedMail {
  return { subject: `${letter.title} · ${letter.sender}`, text: textOf(letter), html: htmlOf(letter) };
}

function textOf({ sender, siteUrl, title, paragraphs, code, button, facts = [], closing }: Letter): string {
  const parts = [
    title,
    ...paragraphs,
    ...(code === undefined ? [] : [code]),
    ...(facts.length === 0 ? [] : [facts.map(([name, value]) => `${name}: ${value}`).join("\n")]),
    ...(button === undefined ? [] : [`${button.label}:\n${button.url}`]),
    ...(closing === undefined ? [] : [closing]),
    `-- \n${[sender, siteUrl].filter(Boolean).join("\n")}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

const font =
  "-apple-system,BlinkMacSystemFont,'Segoe UI',Inter,'PingFang SC','PingFang TC','Hiragino Sans','Microsoft YaHei','Noto Sans CJK SC',sans-serif";
const mono = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";

/** Mail programs that support it invert the colours. The others show the light card. */
const darkStyle = `
@media (prefers-color-scheme: dark) {
  .page { background: #101216 !important; }
  .card { background: #181b21 !important; border-color: #2b3039 !important; }
  .strong { color: #f1f3f6 !important; }
  .body { color: #c3c9d2 !important; }
  .quiet { color: #8a93a1 !important; }
  .code { background: #22262e !important; color: #f1f3f6 !important; }
  .line { border-color: #2b3039 !important; }
}`;

function htmlOf({ language, sender, siteUrl, title, ...rest }: Letter): string {
  const { paragraphs, code, button, facts = [], closing } = rest;
  const p = (text: string, style: string, name: string) =>
    `<p class="${name}" style="margin:0 0 14px;${style}">${escapeHtml(text)}</p>`;
  const body = [
    `<h1 class="strong" style="margin:0 0 16px;font-size:20px;line-height:1.35;font-weight:650;color:#14171c">${escapeHtml(title)}</h1>`,
    ...paragraphs.map((text) => p(text, "font-size:15px;line-height:1.6;color:#3b424d", "body")),
    code === undefined
      ? ""
      : `<p class="code" style="margin:20px 0;padding:16px;border-radius:10px;background:#f2f4f7;text-align:center;font-family:${mono};font-size:30px;letter-spacing:8px;font-weight:600;color:#14171c">${escapeHtml(code)}</p>`,
    facts.length === 0 ? "" : factTable(facts),
    button === undefined ? "" : buttonHtml(button),
    closing === undefined ? "" : p(closing, "font-size:13px;line-height:1.6;color:#6b7482", "quiet"),
  ].join("\n");
  const home =
    siteUrl === ""
      ? escapeHtml(sender)
      : `<a class="quiet" href="${escapeHtml(siteUrl)}" style="color:#6b7482;text-decoration:none">${escapeHtml(sender)}</a>`;
  return `<!doctype html>
<html lang="${tagOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${darkStyle}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f6f7f9;font-family:${font}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f6f7f9"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px">
<tr><td class="strong" style="padding:0 4px 14px;font-size:14px;font-weight:600;color:#14171c">${escapeHtml(sender)}</td></tr>
<tr><td class="card" style="padding:28px 28px 16px;background:#ffffff;border:1px solid #e3e6eb;border-radius:12px">
${body}
</td></tr>
<tr><td class="quiet" style="padding:16px 4px 0;font-size:12px;color:#6b7482">${home}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

function buttonHtml({ label, url, otherwise, color }: NonNullable<Letter["button"]>): string {
  const address = escapeHtml(url);
  return `<p style="margin:22px 0"><a href="${address}" style="display:inline-block;padding:12px 22px;border-radius:9px;background:${escapeHtml(color)};color:#ffffff;font-size:15px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>
<p class="quiet" style="margin:0 0 14px;font-size:12px;line-height:1.6;color:#6b7482;word-break:break-all">${escapeHtml(otherwise)}<br>${address}</p>`;
}

function factTable(facts: readonly (readonly [string, string])[]): string {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td class="quiet line" style="padding:8px 12px 8px 0;border-top:1px solid #e9ecf0;font-size:13px;color:#6b7482;vertical-align:top;white-space:nowrap">${escapeHtml(name)}</td><td class="strong line" style="padding:8px 0;border-top:1px solid #e9ecf0;font-size:13px;color:#14171c;word-break:break-word">${escapeHtml(value)}</td></tr>`,
  );
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:4px 0 16px">${rows.join("")}</table>`;
}
