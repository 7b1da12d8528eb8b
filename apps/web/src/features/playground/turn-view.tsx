/** A question and its answers side by side. */
import { ActionIcon, Alert, Button, Group, Loader, Text, Tooltip } from "@mantine/core";
import { IconAlertCircle, IconPencil, IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { pathOfCall } from "#lib/address/call-address.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { CopyButton, CopyCode } from "#ui/copy.tsx";
import { Fold } from "#ui/fold.tsx";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import { AnswerFacts } from "./answer-facts.tsx";
import { type Answer, isRunning, type Turn } from "./chat.ts";
import { failureText } from "./failure-text.ts";
import classes from "./playground.module.css";

/** Brings the interpreter of Markdown. */
const AnswerText = lazy(async () => ({ default: (await import("./answer-text.tsx")).AnswerText }));

type TurnViewProps = {
  turn: Turn;
  last: boolean;
  onAgain: (answerId: string) => void;
  /** Puts the question into the input, to send it in another form. */
  onEdit: (turn: Turn) => void;
  /** Called when the text of an answer is in its final form. */
  onDrawn: () => void;
};

export function TurnView({ turn, last, onAgain, onEdit, onDrawn }: TurnViewProps) {
  const { t } = useTranslation("playground");
  const mayEdit = last && !turn.answers.some(isRunning);
  return (
    <article className={classes.turn}>
      <div className={classes.question}>
        {mayEdit ? (
          <Tooltip label={t("Edit the message")}>
            <ActionIcon
              className={classes.edit ?? ""}
              size={26}
              aria-label={t("Edit the message")}
              onClick={() => onEdit(turn)}
            >
              <IconPencil size={15} stroke={1.8} />
            </ActionIcon>
          </Tooltip>
        ) : null}
        {turn.images.length > 0 ? (
          <div className={classes.pictures}>
            {turn.images.map((url) => (
              <img key={url} src={url} alt={t("Image")} />
            ))}
          </div>
        ) : null}
        {turn.text}
      </div>
      <div className={classes.answers} data-count={turn.answers.length}>
        {turn.answers.map((answer) => (
          <AnswerView
            key={answer.id}
            answer={answer}
            boxed={turn.answers.length > 1}
            onDrawn={onDrawn}
            onAgain={last && !isRunning(answer) ? () => onAgain(answer.id) : undefined}
          />
        ))}
      </div>
    </article>
  );
}

type AnswerViewProps = Pick<TurnViewProps, "onDrawn"> & {
  answer: Answer;
  boxed: boolean;
  onAgain: (() => void) | undefined;
};

function AnswerView({ answer, boxed, onAgain, onDrawn }: AnswerViewProps) {
  const { t } = useTranslation("playground");
  const running = isRunning(answer);
  const thinking = running && answer.text === "";
  return (
    <div className={classes.answer} data-boxed={boxed || undefined}>
      <Group gap={8} wrap="nowrap" className={classes.answerHead}>
        <ModelIcon model={answer.model} size={18} />
        <Text fw={600} fz="sm" truncate>
          {answer.model}
        </Text>
        {running ? <Loader size={14} type="dots" aria-label={t("Generating")} /> : null}
        {answer.state === "stopped" ? (
          <Text c="dimmed" fz="xs" className={classes.stopped}>
            <IconPlayerStop size={13} aria-hidden /> {t("Stopped")}
          </Text>
        ) : null}
      </Group>
      {answer.reasoning ? (
        <Fold label={thinking ? t("Thinking…") : t("Reasoning")} opened={thinking}>
          <Text c="dimmed" fz="sm" className={classes.reasoning}>
            {answer.reasoning}
          </Text>
        </Fold>
      ) : null}
      {answer.text ? (
        <LazyBoundary fallback={<div className={classes.plain}>{answer.text}</div>}>
          <AnswerText text={answer.text} onDrawn={onDrawn} />
        </LazyBoundary>
      ) : null}
      {answer.images.length > 0 ? (
        <div className={classes.pictures}>
          {answer.images.map((url) => (
            <a key={url} href={url} download={`${answer.id}.png`}>
              <img src={url} alt={t("Image from {{name}}", { name: answer.model })} />
            </a>
          ))}
        </div>
      ) : null}
      {answer.state === "failed" ? (
        <Alert
          color="red"
          variant="light"
          icon={<IconAlertCircle size={18} />}
          className={classes.failure}
          classNames={{ body: classes.failureBody }}
        >
          <Failure answer={answer} />
          {answer.requestId ? (
            <Group gap={6} wrap="nowrap" mt={4} c="dimmed">
              <Text fz="xs" flex="none">
                {t("Request ID")}
              </Text>
              <CopyCode text={answer.requestId} label={t("Request ID")} />
            </Group>
          ) : null}
          <Group gap="xs" mt="xs">
            {answer.code === "insufficient_quota" ? (
              <Button component={Link} to="/panel/topup" size="compact-sm">
                {t("Top up")}
              </Button>
            ) : null}
            {onAgain ? (
              <Button size="compact-sm" variant="default" onClick={onAgain}>
                {t("Try again")}
              </Button>
            ) : null}
            {answer.requestId ? (
              <Button component={Link} to={pathOfCall(answer.requestId)} size="compact-sm" variant="default">
                {t("Open the call")}
              </Button>
            ) : null}
          </Group>
        </Alert>
      ) : null}
      <Ending answer={answer} />
      {running ? null : (
        <Group gap={4} wrap="nowrap" className={classes.answerFoot}>
          <AnswerFacts answer={answer} />
          <Group gap={0} wrap="nowrap" ml="auto">
            {answer.text ? <CopyButton text={answer.text} label={t("Response")} size={26} /> : null}
            {onAgain && answer.state !== "failed" ? (
              <Tooltip label={t("Regenerate")}>
                <ActionIcon size={26} aria-label={t("Regenerate")} onClick={onAgain}>
                  <IconRefresh size={15} stroke={1.8} />
                </ActionIcon>
              </Tooltip>
            ) : null}
          </Group>
        </Group>
      )}
    </div>
  );
}

/** Why an answer is shorter than expected. */
function Ending({ answer: { state, finish, text, images } }: { answer: Answer }) {
  const { t } = useTranslation("playground");
  if (state !== "done") return null;
  const why =
    finish === "length"
      ? t("The response was cut off at the maximum output tokens.")
      : finish === "content_filter"
        ? t("The provider's content filter ended the response.")
        : text === "" && images.length === 0
          ? t("The response is empty.")
          : null;
  return why === null ? null : (
    <Text fz="sm" c="amber" mt={4}>
      {why}
    </Text>
  );
}

function Failure({ answer }: { answer: Answer }) {
  const { t } = useTranslation("playground");
  useErrorTexts();
  return <Text fz="sm">{failureText(answer, t)}</Text>;
}
