/**
 * For administrators who may configure the site: creates last month's
 * statements before the scheduled job, or writes a month's again.
 */
import { Button } from "@mantine/core";
import { IconFileCheck, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMakeStatements } from "#features/analytics/api.ts";
import { useCan } from "#lib/session.ts";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";

/** @param made first days of the closed months */
export function MakeStatements({ made, shown }: { made: string[]; shown?: string }) {
  const { t } = useTranslation("analytics");
  const make = useMakeStatements();
  const [last] = useState(() => lastMonth(new Date()));
  if (!useCan("configure")) return null;
  const run = (date: string, again: boolean) =>
    make.mutate(
      { date, again },
      {
        onSuccess: () => toast.success(t("Statements for {{month}} created", { month: date.slice(0, 7) })),
      },
    );
  const remake = async (date: string) => {
    const month = date.slice(0, 7);
    const sure = await confirm({
      title: t("Regenerate the statements for {{month}}?", { month }),
      body: t(
        "Statements are recalculated from the recorded charges. Figures that users have already seen can change.",
      ),
      action: t("Regenerate"),
    });
    if (sure) run(date, true);
  };
  return (
    <>
      {made.includes(last) ? null : (
        <Button
          variant={shown === undefined ? "filled" : "default"}
          leftSection={<IconFileCheck size={16} />}
          loading={make.isPending}
          onClick={() => run(last, false)}
        >
          {t("Create statements for {{month}}", { month: last.slice(0, 7) })}
        </Button>
      )}
      {shown === undefined ? null : (
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={make.isPending}
          onClick={() => void remake(shown)}
        >
          {t("Regenerate")}
        </Button>
      )}
    </>
  );
}

/** Statements cover months in UTC. */
function lastMonth(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 10);
}
