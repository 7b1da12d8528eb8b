/** Copies text and reports whether it worked. */
import { ActionIcon, Box, Code, Group, Text, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import i18next from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "./toast.tsx";

/** Works without a secure context too, where the clipboard API is missing. */
function copyByHand(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  (document.querySelector("[role=dialog]") ?? document.body).append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}

async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByHand(text);
  }
}

/** Copies a text that the page shows anyway: reports nothing where the browser does not allow it. */
export async function copyShownText(text: string, label: string): Promise<void> {
  if (await isCopied(text)) toast.success(i18next.t("{{label}} copied", { label }));
}

/** @param label translated name of the copied value: "Key", "Address" */
export async function copyText(text: string, label: string): Promise<boolean> {
  const copied = await isCopied(text);
  if (copied) toast.success(i18next.t("{{label}} copied", { label }));
  else
    toast.keep(
      <Box>
        <Text fz="sm">{i18next.t("{{label}} could not be copied. Copy it manually.", { label })}</Text>
        <Code block mt={6}>
          {text}
        </Code>
      </Box>,
    );
  return copied;
}

export function CopyButton({ text, label, size = 28 }: { text: string; label: string; size?: number }) {
  const { t } = useTranslation();
  const [done, setDone] = useState(false);
  const copy = async () => {
    setDone(await copyText(text, label));
    setTimeout(() => setDone(false), 1_500);
  };
  const title = t("Copy {{label}}", { label });
  return (
    <Tooltip label={title}>
      <ActionIcon
        size={size}
        aria-label={title}
        color={done ? "green" : "gray"}
        onClick={(event) => {
          event.stopPropagation();
          void copy();
        }}
      >
        {done ? <IconCheck size={15} /> : <IconCopy size={15} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** An id, key or address in monospace with a copy button. `shown` may shorten the displayed text. */
export function CopyCode({ text, label, shown }: { text: string; label: string; shown?: string }) {
  return (
    <Group gap={4} wrap="nowrap" miw={0}>
      <Text ff="monospace" fz="sm" truncate title={shown ?? text}>
        {shown ?? text}
      </Text>
      <CopyButton text={text} label={label} size={24} />
    </Group>
  );
}
