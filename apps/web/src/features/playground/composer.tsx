import { ActionIcon, Textarea, Tooltip } from "@mantine/core";
import { IconArrowUp, IconPlayerStopFilled } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./playground.module.css";

type ComposerProps = {
  busy: boolean;
  disabled: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
};

/** ↵ sends, ⇧↵ breaks the line. */
export function Composer({ busy, disabled, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const ready = text.trim() !== "" && !busy && !disabled;
  const send = () => {
    if (!ready) return;
    onSend(text.trim());
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method composes a word, ↵ only accepts it.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const label = busy ? t("Stop") : t("Send");
  return (
    <div className={classes.composer}>
      <Textarea
        aria-label={t("Message")}
        placeholder={t("Write a message")}
        variant="unstyled"
        autosize
        minRows={1}
        maxRows={8}
        flex={1}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        autoFocus
      />
      <Tooltip label={label}>
        <ActionIcon
          variant="filled"
          color="iris"
          size={34}
          radius="md"
          aria-label={label}
          disabled={!busy && !ready}
          onClick={busy ? onStop : send}
        >
          {busy ? <IconPlayerStopFilled size={15} /> : <IconArrowUp size={18} />}
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
