/** The blocks of a page of Help: headings, paragraphs, lists, tables, code. */
import { useTranslation } from "react-i18next";
import { CopyButton } from "#ui/copy.tsx";
import type { Block } from "./content.ts";
import { InlineText } from "./inline-text.tsx";
import classes from "./help.module.css";

export function HelpBlocks({ blocks }: { blocks: Block[] }) {
  // Blocks never move, so the position is the key.
  return blocks.map((block, place) => <OneBlock key={`${block.kind} ${place}`} block={block} />);
}

function OneBlock({ block }: { block: Block }) {
  const { t } = useTranslation("help");
  switch (block.kind) {
    case "heading":
      return <Heading block={block} />;
    case "paragraph":
      return (
        <p>
          <InlineText parts={block.children} />
        </p>
      );
    case "line":
      return <InlineText parts={block.children} />;
    case "code":
      return (
        <div className={classes.code}>
          <pre tabIndex={0}>
            <code>{block.text}</code>
          </pre>
          <div className={classes.copy}>
            <CopyButton text={block.text} label={t("Code")} />
          </div>
        </div>
      );
    case "quote":
      return (
        <blockquote>
          <HelpBlocks blocks={block.blocks} />
        </blockquote>
      );
    case "list": {
      const items = block.items.map((item, place) => (
        <li key={place}>
          <HelpBlocks blocks={item} />
        </li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case "table":
      return <Table block={block} />;
    default:
      return null;
  }
}

function Heading({ block }: { block: Extract<Block, { kind: "heading" }> }) {
  const { t } = useTranslation("help");
  const Level = block.level === 2 ? "h2" : block.level === 3 ? "h3" : "h4";
  return (
    <Level id={block.id}>
      <InlineText parts={block.children} />
      <a href={`#${block.id}`} className={classes.hash} aria-label={t("Link to this section")}>
        #
      </a>
    </Level>
  );
}

/** Scrolls sideways when it is wider than the screen, also by keyboard. */
function Table({ block }: { block: Extract<Block, { kind: "table" }> }) {
  const { t } = useTranslation("help");
  const { aligns, head, rows } = block;
  const hasHead = head.some((cell) => cell.length > 0);
  return (
    <div className={classes.table} tabIndex={0} role="group" aria-label={t("Table")}>
      <table>
        {hasHead ? (
          <thead>
            <tr>
              {head.map((cell, place) => (
                <th key={place} scope="col" data-align={aligns[place] ?? undefined}>
                  <InlineText parts={cell} />
                </th>
              ))}
            </tr>
          </thead>
        ) : null}
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, place) => (
                <td key={place} data-align={aligns[place] ?? undefined}>
                  <InlineText parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
