/** Renders a model's Markdown. Scripts do not run, and nothing is loaded from other servers. */
import { Typography } from "@mantine/core";
import DOMPurify from "dompurify";
import { Marked, type Tokens } from "marked";
import { type MouseEvent, useDeferredValue, useEffectEvent, useLayoutEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "#ui/copy.tsx";
import classes from "./answer-text.module.css";

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** `copy` is a marker in the text that we insert; its label is in the user's language. */
function createMarkdown(copyWord: string): Marked {
  return new Marked({
    gfm: true,
    breaks: true,
    renderer: {
      code({ text, lang }: Tokens.Code) {
        const language = escape(/^\S*/.exec(lang ?? "")?.[0] ?? "");
        return `<div data-code><div data-bar><span>${language}</span><button type="button" data-copy>${escape(copyWord)}</button></div><pre tabindex="0"><code>${escape(text)}</code></pre></div>`;
      },
      // HTML is shown as text.
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return escape(text);
      },
      // An external image would disclose the conversation to its server.
      image({ href, text }: Tokens.Image) {
        if (href.startsWith("data:image/")) return `<img src="${escape(href)}" alt="${escape(text)}">`;
        return `<a href="${escape(href)}" target="_blank" rel="noopener noreferrer">${escape(text || href)}</a>`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escape(href)}" target="_blank" rel="noopener noreferrer">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
}

/** @param onDrawn called when the text has appeared or grown */
export function AnswerText({ text: wholeText, onDrawn }: { text: string; onDrawn: () => void }) {
  const { t } = useTranslation("playground");
  // The Markdown of a long answer is interpreted again with every piece. Input and scrolling go first.
  const text = useDeferredValue(wholeText);
  const copyWord = t("Copy");
  const markdown = useMemo(() => createMarkdown(copyWord), [copyWord]);
  const html = useMemo(
    () =>
      DOMPurify.sanitize(markdown.parse(text, { async: false }), {
        USE_PROFILES: { html: true },
        FORBID_TAGS: ["style", "form"],
        ADD_ATTR: ["target"],
      }),
    [markdown, text],
  );
  const drawn = useEffectEvent((shown: string) => {
    if (shown !== "") onDrawn();
  });
  useLayoutEffect(() => drawn(html), [html]);
  const copy = (event: MouseEvent<HTMLElement>) => {
    if (!(event.target instanceof Element)) return;
    const code = event.target.closest("[data-copy]")?.closest("[data-code]")?.querySelector("code");
    if (code) void copyText(code.textContent, t("Code"));
  };
  return (
    <Typography className={classes.text ?? ""}>
      <div onClick={copy} dangerouslySetInnerHTML={{ __html: html }} />
    </Typography>
  );
}
