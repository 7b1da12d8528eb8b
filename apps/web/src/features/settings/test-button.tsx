import { Button, Tooltip } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { toast } from "#ui/toast.tsx";
import { useSettingTest } from "./api.ts";
import type { TestAction } from "./sections/section.ts";

/** Returns a function that sends a test with the saved settings and shows the result. */
export function useTestSettings() {
  const { t } = useTranslation("settings");
  const run = useSettingTest();
  const send = (test: TestAction) =>
    run.mutate(test, {
      onSuccess: (to) =>
        toast.success(
          to === "" ? t("Test message sent") : t("A test email was sent to {{email}}", { email: to }),
        ),
    });
  return { send, isPending: run.isPending };
}

export function TestButton({ test, dirty }: { test: TestAction; dirty: boolean }) {
  const { t } = useTranslation("settings");
  const { send, isPending } = useTestSettings();
  return (
    <Tooltip label={t("Save your changes first. The test uses the saved values.")} disabled={!dirty}>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconSend size={14} stroke={1.7} />}
        loading={isPending}
        data-disabled={dirty || undefined}
        aria-disabled={dirty}
        onClick={() => {
          if (!dirty) send(test);
        }}
      >
        {test.kind === "mail" ? t("Send me a test email") : t("Send a test message")}
      </Button>
    </Tooltip>
  );
}
