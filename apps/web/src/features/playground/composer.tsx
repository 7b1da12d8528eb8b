/** The input of the next question: text, images, send or stop. */
import { ActionIcon, CloseButton, Textarea, Tooltip } from "@mantine/core";
import { IconArrowUp, IconPhoto, IconPlayerStopFilled } from "@tabler/icons-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "#ui/toast.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { pictureOf } from "./picture.ts";
import type { Question } from "./use-chats.ts";
import classes from "./playground.module.css";

const mostPictures = 6;

type ComposerProps = {
  text: string;
  onText: (text: string) => void;
  running: boolean;
  onSend: (question: Question) => void;
  onStop: () => void;
};

export function Composer({ text, onText, running, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation("playground");
  const phone = useIsPhone();
  const [images, setImages] = useState<string[]>([]);
  const [over, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const ready = !running && (text.trim() !== "" || images.length > 0);

  const add = async (files: readonly File[]) => {
    const read = await Promise.all(files.map(pictureOf));
    const good = read.filter((url) => url !== undefined);
    if (good.length < read.length) toast.warning(t("Only images can be attached."));
    setImages((old) => [...new Set([...old, ...good])].slice(0, mostPictures));
  };

  const send = () => {
    if (!ready) return;
    onSend({ text: text.trim(), images });
    setImages([]);
  };

  const key = (event: KeyboardEvent) => {
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
      {images.length > 0 ? (
        <div className={classes.attached}>
          {images.map((url, place) => (
            <div key={url} className={classes.attachment}>
              <img src={url} alt={t("Image {{number}}", { number: place + 1 })} />
              <CloseButton
                size="xs"
                className={classes.detach ?? ""}
                aria-label={t("Remove image {{number}}", { number: place + 1 })}
                onClick={() => setImages(images.filter((image) => image !== url))}
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
          onChange={(event) => onText(event.currentTarget.value)}
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
