/** Operator content (Markdown or HTML), sanitised before it is shown. Its code is loaded on demand. */
import { Typography } from "@mantine/core";
import DOMPurify from "dompurify";
import { marked } from "marked";
import { useMemo } from "react";

/** Opens links in a new tab and sends no referrer to the other site. */
function openOutside(node: Element): void {
  if (node.tagName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
}

function toSafeHtml(text: string): string {
  const html = text.trimStart().startsWith("<") ? text : marked.parse(text, { async: false, gfm: true });
  DOMPurify.addHook("afterSanitizeAttributes", openOutside);
  const safe = DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true, svg: true },
    FORBID_TAGS: ["style", "form"],
  });
  DOMPurify.removeAllHooks();
  return safe;
}

export function RichText({ text }: { text: string }) {
  const html = useMemo(() => toSafeHtml(text), [text]);
  return (
    <Typography>
      <div dangerouslySetInnerHTML={{ __html: html }} />
    </Typography>
  );
}
