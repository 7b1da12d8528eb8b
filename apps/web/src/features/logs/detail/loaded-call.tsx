/** Loads a call by its id. Shows a message with a way forward when it does not exist. */
import type { LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { IconFileSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { callQuery } from "#features/logs/api.ts";
import { ApiError } from "#lib/http.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { CallView } from "./call-view.tsx";

type LoadedCallProps = {
  id: string;
  known?: LogRow | undefined;
  /** Content above the loaded call. */
  head: (row: LogRow) => ReactNode;
  wide?: boolean;
};

export function LoadedCall({ id, known, head, wide }: LoadedCallProps) {
  // The account's own list has no attempts: they are loaded.
  const complete = known && (known.attempts === null ? { placeholderData: known } : { initialData: known });
  const call = useQuery({ ...callQuery(id), ...complete });
  if (call.data)
    return (
      <Stack gap="md">
        {head(call.data)}
        <CallView row={call.data} wide={wide} />
      </Stack>
    );
  const { error } = call;
  // An invalid id is treated like an unknown one.
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return <NoSuchCall />;
  if (error) return <LoadError error={error} onRetry={() => void call.refetch()} />;
  return (
    <Stack gap="md" aria-busy>
      <Skeleton height={64} radius="md" />
      <Skeleton height={220} radius="md" />
      <Skeleton height={160} radius="md" />
    </Stack>
  );
}

function NoSuchCall() {
  const { t } = useTranslation("logs");
  return (
    <Empty
      icon={IconFileSearch}
      title={t("This call was not found")}
      hint={t(
        "The link may be incomplete, the call may belong to another account, or its log entry may have been deleted.",
      )}
      action={
        <Group justify="center" gap="xs">
          <Button component={Link} to="/panel/log">
            {t("Show the newest calls")}
          </Button>
          <Button component={Link} to={`/panel/log?log_type=${LogType.failed}`} variant="default">
            {t("Show failed calls")}
          </Button>
        </Group>
      }
    />
  );
}
