/** Stored tests of a channel: time, model, duration and result. */
import { Badge, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconGauge } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { formatDuration } from "#lib/format/quota.ts";
import { Sparkline } from "#ui/charts/sparkline.tsx";
import { Empty, LoadError } from "#ui/empty.tsx";
import { SideDrawer } from "#ui/page/side-drawer.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { testsQuery } from "./runs.ts";
import classes from "./runs.module.css";

type TestHistoryProps = { id: number; name: string; onClose: () => void };

export function TestHistory({ id, name, onClose }: TestHistoryProps) {
  const { t } = useTranslation("channels");
  useErrorTexts();
  const list = useQuery(testsQuery(id));
  const good = (list.data ?? []).filter((test) => test.ok);
  return (
    <SideDrawer onClose={onClose} width={520} title={t("Tests of {{name}}", { name })}>
      {list.error ? (
        <LoadError error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data === undefined ? (
        <Stack gap="sm" aria-busy>
          {[0, 1, 2, 3].map((line) => (
            <Skeleton key={line} height={34} />
          ))}
        </Stack>
      ) : list.data.length === 0 ? (
        <Empty icon={IconGauge} title={t("Not tested yet")} hint={t("The last 100 tests are kept.")} />
      ) : (
        <Stack gap={0}>
          <Sparkline
            values={good.map((test) => test.duration).reverse()}
            color="var(--mantine-primary-color-filled)"
            width={480}
            height={64}
          />
          {list.data.map((test) => (
            <div key={test.id} className={classes.change}>
              <Group gap={10} wrap="nowrap">
                <Badge color={test.ok ? "green" : "red"} variant="light">
                  {test.ok ? formatDuration(test.duration) : t("Failed")}
                </Badge>
                <Text ff="monospace" fz={12.5} truncate flex={1}>
                  {test.model}
                </Text>
                <Text c="dimmed" fz="xs" component="div">
                  <RelativeTime inList seconds={test.created_time} />
                </Text>
              </Group>
              {test.message ? (
                <Text c="dimmed" fz="xs" mt={4} className={classes.wrap}>
                  {test.message}
                </Text>
              ) : null}
            </div>
          ))}
        </Stack>
      )}
    </SideDrawer>
  );
}
