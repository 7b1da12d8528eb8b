/**
 * A call as a conversation: roles, with images, tools and
 * reasoning collapsed. Nothing is loaded from other servers.
 */
import { Badge, Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Conversation } from "#components/conversation/conversation.ts";
import type { MessagePart, Role, LoggedMessage } from "#components/conversation/messages.ts";
import { phrasesIn } from "#lib/i18n.ts";
import classes from "./conversation.module.css";

const phrase = phrasesIn("logs");

const roleTexts: Record<Role, string> = {
  system: phrase("System prompt"),
  user: phrase("User"),
  assistant: phrase("Assistant"),
  tool: phrase("Tool result"),
};

export function ConversationView({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation("logs");
  const { messages, answer } = conversation;
  return (
    <ol className={classes.turns} aria-label={t("Conversation")}>
      {messages.map((turn, place) => (
        // The messages of a stored call never change.
        <MessageRow key={place} turn={turn} />
      ))}
      {answer.map((turn, place) => (
        <MessageRow key={`answer ${place}`} turn={turn} isAnswer />
      ))}
    </ol>
  );
}

function MessageRow({ turn, isAnswer = false }: { turn: LoggedMessage; isAnswer?: boolean }) {
  const { t } = useTranslation("logs");
  return (
    <li className={classes.turn} data-role={turn.role}>
      <Text fz="xs" fw={600} c="dimmed" mb={4}>
        {t(roleTexts[turn.role])}
        {isAnswer ? (
          <Badge size="xs" variant="light" ml={8}>
            {t("Response")}
          </Badge>
        ) : null}
      </Text>
      <Stack gap={8}>
        {turn.parts.map((part, place) => (
          <PartView key={place} part={part} />
        ))}
      </Stack>
    </li>
  );
}

function PartView({ part }: { part: MessagePart }) {
  const { t } = useTranslation("logs");
  switch (part.type) {
    case "text":
      return <LongText text={part.text} />;
    case "error":
      return (
        <Text fz="sm" c="red" style={{ overflowWrap: "anywhere" }}>
          {part.text}
        </Text>
      );
    case "reasoning":
      return <FoldedText title={t("Reasoning")} text={part.text} />;
    case "image":
      return <Picture url={part.url} />;
    case "file":
      return (
        <Text fz="sm" c="dimmed">
          {t("File: {{name}}", { name: part.name })}
        </Text>
      );
    case "tool-call":
      return <FoldedText title={t("Tool call: {{name}}", { name: part.name })} text={part.input} code />;
    case "tool-result":
      return <FoldedText title={t("Result: {{name}}", { name: part.name })} text={part.text} code />;
  }
}

function FoldedText({ title, text, code = false }: { title: string; text: string; code?: boolean }) {
  return (
    <details className={classes.folded}>
      <summary>{title}</summary>
      <div className={code ? classes.code : classes.text}>{text}</div>
    </details>
  );
}

/**
 * Shows an image from the body. For an image address it shows
 * only the address: no other server learns that the log is read.
 */
function Picture({ url }: { url: string }) {
  const { t } = useTranslation("logs");
  if (url.startsWith("data:image/")) return <img className={classes.picture} src={url} alt={t("Image")} />;
  return (
    <Text fz="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
      {t("Image")}: {url.slice(0, 300)}
    </Text>
  );
}

const mostShown = 3_000;

function LongText({ text }: { text: string }) {
  const { t } = useTranslation("logs");
  const [isWhole, setWhole] = useState(text.length <= mostShown);
  return (
    <div>
      <div className={classes.text}>{isWhole ? text : `${text.slice(0, mostShown)}…`}</div>
      {isWhole ? null : (
        <Button variant="subtle" size="compact-xs" mt={4} onClick={() => setWhole(true)}>
          {t("Show everything")}
        </Button>
      )}
    </div>
  );
}
