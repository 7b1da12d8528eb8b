/** The progress of an upload or a run, with a button that gives it up. */
import type { ImportRun } from "@gateway/shared/site/migration";
import { Button, Group, Loader, Progress, Stack, Text, Title } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { LoadError } from "#ui/empty.tsx";
import { isActive, runQuery } from "./api.ts";
import { kindText } from "./labels.ts";

type RunProgressProps = {
  title: string;
  onCancel: () => void;
  /** Of the upload, from 0 to 1. */
  share?: number;
  run?: number;
  token?: string;
  onEnd?: (run: ImportRun) => void;
};

export function RunProgress({ title, onCancel, share, run, token = "", onEnd }: RunProgressProps) {
  const { t, i18n } = useTranslation("migration");
  const query = runQuery(run ?? 0, token);
  const state = useQuery({ ...query, queryFn: run === undefined ? skipToken : query.queryFn });
  const end = useEffectEvent((ended: ImportRun) => onEnd?.(ended));
  const { data } = state;
  useEffect(() => {
    if (data !== undefined && !isActive(data)) end(data);
  }, [data]);
  const number = new Intl.NumberFormat(i18n.language.replace("_", "-"));
  if (state.isError && data === undefined)
    return <LoadError error={state.error} onRetry={() => void state.refetch()} />;
  const progress = data?.progress ?? [];
  return (
    <Stack gap="md">
      <Group gap="sm" wrap="nowrap">
        <Loader size={18} />
        <Title order={2} fz="md" role="status">
          {title}
        </Title>
      </Group>
      {share === undefined ? (
        <Stack gap={6} component="ul" m={0} p={0} style={{ listStyle: "none" }}>
          {progress.map(({ kind, rows }, index) => (
            <Group component="li" key={kind} gap={8} fz="sm" wrap="nowrap">
              {index < progress.length - 1 ? (
                <IconCheck size={15} color="var(--mantine-color-green-filled)" aria-hidden />
              ) : (
                <Loader size={13} aria-hidden />
              )}
              <Text span fz="inherit">
                {kindText(t, kind)}
              </Text>
              {rows === 0 ? null : (
                <Text span fz="inherit" c="dimmed" className="tabular">
                  {number.format(rows)}
                </Text>
              )}
            </Group>
          ))}
        </Stack>
      ) : (
        <Progress value={share * 100} aria-label={title} />
      )}
      <Group>
        <Button variant="default" onClick={onCancel}>
          {t("Cancel")}
        </Button>
      </Group>
    </Stack>
  );
}
