/** Enables or disables many accounts, one after the other, with live progress. */
import type { UserListRow } from "@gateway/shared/accounts/user";
import { Button, Text } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useManageUser } from "#features/users/api.ts";
import { errorReason } from "#lib/errors/error-text.ts";
import { useSelf } from "#lib/session.ts";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";

type UserBulkBarProps = { rows: UserListRow[]; onDone: () => void };

export function UserBulkBar({ rows, onDone }: UserBulkBarProps) {
  const { t } = useTranslation("users");
  const self = useSelf();
  const manage = useManageUser({ quiet: true });
  const [progress, setProgress] = useState<{ verb: string; done: number } | null>(null);
  // Accounts with an equal or higher role are skipped: no one may change them.
  const below = rows.filter((row) => row.role < (self?.role ?? 0));
  const total = below.length;

  const run = async (action: "enable" | "disable", verb: string) => {
    const faults: string[] = [];
    for (const [done, { username }] of below.entries()) {
      setProgress({ verb, done });
      await manage
        .mutateAsync({ username, action })
        .catch((error: unknown) => faults.push(`${username}: ${errorReason(error, t)}`));
    }
    setProgress(null);
    if (faults.length > 0) toast.error(faults.join("\n"));
    else toast.success(t("{{count}} succeeded", { count: total }));
    onDone();
  };
  const disable = async () => {
    const sure = await confirm({
      title: t("Disable {{count}} users?", { count: total }),
      body: t("All sessions end and all keys stop working immediately. The balance is kept."),
      action: t("Disable"),
    });
    if (sure) await run("disable", t("Disabling"));
  };

  if (progress)
    return (
      <Text fz="sm" className="tabular" role="status">
        {t("{{verb}}: {{done}} of {{total}}", { ...progress, total })}
      </Text>
    );
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={15} />}
        disabled={total === 0}
        onClick={() => void run("enable", t("Enabling"))}
      >
        {t("Enable")}
      </Button>
      <Button
        variant="default"
        leftSection={<IconPlayerPause size={15} />}
        disabled={total === 0}
        onClick={() => void disable()}
      >
        {t("Disable")}
      </Button>
    </>
  );
}
