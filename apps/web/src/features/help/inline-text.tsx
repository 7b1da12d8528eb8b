/** Text of Help with its formats and links. */
import { Anchor, Code } from "@mantine/core";
import { Link } from "react-router-dom";
import type { Inline } from "./content.ts";
import { useHelpAddress } from "./help-address.ts";

export function InlineText({ parts }: { parts: Inline[] }) {
  const addressOf = useHelpAddress();
  return parts.map((part, place) => {
    // Parts never move, so the position is the key.
    const key = place;
    if (typeof part === "string") return part;
    switch (part.kind) {
      case "code":
        return <Code key={key}>{part.text}</Code>;
      case "break":
        return <br key={key} />;
      case "strong":
        return (
          <strong key={key}>
            <InlineText parts={part.children} />
          </strong>
        );
      case "emphasis":
        return (
          <em key={key}>
            <InlineText parts={part.children} />
          </em>
        );
      case "outside":
        return (
          <Anchor key={key} href={part.href} target="_blank" rel="noopener noreferrer" inherit>
            <InlineText parts={part.children} />
          </Anchor>
        );
      case "page":
        return (
          <Anchor key={key} component={Link} to={addressOf(part.page, part.anchor)} inherit>
            <InlineText parts={part.children} />
          </Anchor>
        );
      default:
        return null;
    }
  });
}
