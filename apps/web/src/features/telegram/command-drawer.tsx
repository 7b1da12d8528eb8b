/** Creates or edits a command of the bot. */
import { parseModes, TelegramMenuInput, type TelegramMenuRow } from "@gateway/shared/site/telegram";
import { Select, Text, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useSaveMenu } from "./api.ts";

type CommandDrawerProps = {
  /** Undefined for a new command. */
  menu: TelegramMenuRow | undefined;
  onClose: () => void;
};

export function CommandDrawer({ menu, onClose }: CommandDrawerProps) {
  const { t } = useTranslation("telegram");
  const save = useSaveMenu();
  const form = useSchemaForm(TelegramMenuInput, {
    id: menu?.id ?? 0,
    command: menu?.command ?? "",
    description: menu?.description ?? "",
    parse_mode: menu?.parse_mode ?? "MarkdownV2",
    reply_message: menu?.reply_message ?? "",
  });
  return (
    <FormDrawer
      opened
      help="notifications#telegram-bot"
      title={menu ? t("Edit “{{name}}”", { name: `/${menu.command}` }) : t("New command")}
      form={form}
      submitLabel={t("Save")}
      onSubmit={async (values) => {
        await save.mutateAsync(TelegramMenuInput.parse(values));
        toast.success(t("Command saved"));
        onClose();
      }}
      onClose={onClose}
      width={520}
    >
      <FormSection title={t("What users see")}>
        <TextInput
          label={t("Command")}
          description={t("Lowercase letters, digits and underscores.")}
          placeholder="price"
          withAsterisk
          maxLength={33}
          leftSection={
            <Text c="dimmed" ff="monospace">
              /
            </Text>
          }
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          {...form.getInputProps("command")}
        />
        <TextInput
          label={t("Description")}
          description={t("Shown beside the command in Telegram's menu.")}
          withAsterisk
          maxLength={255}
          {...form.getInputProps("description")}
        />
      </FormSection>
      <FormSection title={t("What the bot replies")}>
        <Select
          label={t("Message type")}
          description={t(
            "How Telegram interprets the formatting. Text that it cannot parse is sent unformatted.",
          )}
          withAsterisk
          allowDeselect={false}
          data={[...parseModes]}
          {...form.getInputProps("parse_mode")}
        />
        <Textarea
          label={t("Reply")}
          withAsterisk
          autosize
          minRows={6}
          maxRows={16}
          maxLength={4_096}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          {...form.getInputProps("reply_message")}
        />
      </FormSection>
    </FormDrawer>
  );
}
