/** The input of the next question: text, images, send or stop. */
import { ActionIcon, CloseButton, Group, Text, Textarea, Tooltip } from "@mantine/core";
import { IconArrowUp, IconPencil, IconPhoto, IconPlayerStopFilled } from "@tabler/icons-react";
import { type Dispatch, type KeyboardEvent, type Ref, type SetStateAction, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "#ui/toast.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { pictureOf } from "./picture.ts";
import type { Question } from "./use-chats.ts";
import classes from "./playground.module.css";

const mostPictures = 6;

type ComposerProps = {
  field: Ref<HTMLTextAreaElement>;
  question: Question;
  onChange: Dispatch<SetStateAction<Question>>;
  /** Undefined when no earlier message is edited. */
  onCancelEdit: (() => void) | undefined;
  running: boolean;
  onSend: (question: Question) => void;
  onStop: () => void;
};

export function Composer({
  field,
  question,
  onChange,
  onCancelEdit,
  running,
  onSend,
  onStop,
}: ComposerProps) {
  const { t } = useTranslation("playground");
  const phone = useIsPhone();
  const { text, images } = question;
  const [over, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const ready = !running && (text.trim() !== "" || images.length > 0);

  const add = async (files: readonly File[]) => {
    const read = await Promise.all(files.map(pictureOf));
    const good = read.filter((url) => url !== undefined);
    if (good.length < read.length) toast.warning(t("Only images can be attached."));
    onChange((old) => ({ ...old, images: [...new Set([...old.images, ...good])].slice(0, mostPictures) }));
  };

  const send = () => {
    if (ready) onSend({ text: text.trim(), images });
  };

  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.nativeEvent.isComposing) onCancelEdit?.();
    // Enter that confirms an input method's word does not send; on a phone Enter is a new line.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || phone) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      className={classes.composer}
      data-over={over || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void add([...event.dataTransfer.files]);
      }}
    >
      {onCancelEdit ? (
        <Group gap={4} c="dimmed" className={classes.editing ?? ""}>
          <IconPencil size={14} aria-hidden />
          <Text fz="xs">{t("You are editing the last message. Its response will be replaced.")}</Text>
          <CloseButton size="xs" ml="auto" aria-label={t("Stop editing")} onClick={onCancelEdit} />
        </Group>
      ) : null}
      {images.length > 0 ? (
        <div className={classes.attached}>
          {images.map((url, place) => (
            <div key={url} className={classes.attachment}>
              <img src={url} alt={t("Image {{number}}", { number: place + 1 })} />
              <CloseButton
                size="xs"
                className={classes.detach ?? ""}
                aria-label={t("Remove image {{number}}", { number: place + 1 })}
                onClick={() => onChange({ text, images: images.filter((image) => image !== url) })}
              />
            </div>
          ))}
        </div>
      ) : null}
      <div className={classes.writing}>
        <Tooltip label={t("Attach images")}>
          <ActionIcon size={34} aria-label={t("Attach images")} onClick={() => chooser.current?.click()}>
            <IconPhoto size={19} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
        <input
          ref={chooser}
          type="file"
          accept="image/*"
          multiple
          hidden
          onChange={(event) => {
            void add([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
        <Textarea
          ref={field}
          aria-label={t("Message")}
          placeholder={
            phone ? t("Ask something") : t("Message the model. Enter sends, Shift + Enter starts a new line.")
          }
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={10}
          flex={1}
          autoFocus={!phone}
          value={text}
          onChange={(event) => onChange({ text: event.currentTarget.value, images })}
          onKeyDown={key}
          onPaste={(event) => {
            const files = [...event.clipboardData.files];
            if (files.length === 0) return;
            event.preventDefault();
            void add(files);
          }}
        />
        {running ? (
          <Tooltip label={t("Stop")}>
            <ActionIcon size={34} variant="filled" color="gray" aria-label={t("Stop")} onClick={onStop}>
              <IconPlayerStopFilled size={15} />
            </ActionIcon>
          </Tooltip>
        ) : (
          <Tooltip label={t("Send")}>
            <ActionIcon
              type="submit"
              size={34}
              variant="filled"
              color="iris"
              aria-label={t("Send")}
              disabled={!ready}
            >
              <IconArrowUp size={18} stroke={2.2} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </form>
  );
}
