import { Button, Tooltip } from "@mantine/core";
import { IconSearch, IconSend } from "@tabler/icons-react";
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
      onSuccess({ to, pages }) {
        if (to !== undefined) toast.success(t("A test email was sent to {{email}}", { email: to }));
        else if (pages !== undefined) toast.success(t("The search works. Pages found: {{pages}}", { pages }));
        else toast.success(t("Test message sent"));
      },
    });
  return { send, isPending: run.isPending };
}

export function TestButton({ test, dirty }: { test: TestAction; dirty: boolean }) {
  const { t } = useTranslation("settings");
  const { send, isPending } = useTestSettings();
  const labels = {
    mail: t("Send me a test email"),
    notice: t("Send a test message"),
    search: t("Test the search"),
  };
  const label = labels[test.kind];
  return (
    <Tooltip label={t("Save your changes first. The test uses the saved values.")} disabled={!dirty}>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={
          test.kind === "search" ? <IconSearch size={14} stroke={1.7} /> : <IconSend size={14} stroke={1.7} />
        }
        loading={isPending}
        data-disabled={dirty || undefined}
        aria-disabled={dirty}
        onClick={() => {
          if (!dirty) send(test);
        }}
      >
        {label}
      </Button>
    </Tooltip>
  );
}
