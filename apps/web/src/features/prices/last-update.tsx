import type { PriceUpdate } from "@gateway/shared/billing/price";
import { Alert, Anchor, Group, Popover, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconClock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { joinList } from "#lib/format/join-list.ts";
import { storedReason } from "#lib/labels/reasons.ts";
import { RelativeTime } from "#ui/relative-time.tsx";
import { priceUpdatesQuery } from "./api.ts";

/** Result of the last scheduled update. Renders nothing when none has run. */
export function LastUpdate() {
  const { t } = useTranslation("prices");
  const [last] = useQuery(priceUpdatesQuery).data ?? [];
  const failed = last !== undefined && last.error !== "";
  useErrorTexts(failed);
  if (!last) return null;
  return (
    <Alert
      color={failed ? "amber" : "gray"}
      icon={failed ? <IconAlertTriangle size={16} /> : <IconClock size={16} />}
      p="sm"
    >
      <Group gap={8} wrap="wrap">
        <Text fz="sm" span>
          {failed ? t("The scheduled update failed") : t("Updated by schedule")}
          {" · "}
          <RelativeTime seconds={last.created_time} />
        </Text>
        <Text fz="sm" span c={failed ? undefined : "dimmed"}>
          {failed ? storedReason(t, last.error, last.error_facts) : summary(last, t)}
        </Text>
        {failed ? null : <Names update={last} />}
      </Group>
    </Alert>
  );
}

type Translate = TFunction<"prices">;

function summary({ added, changed, removed, locked }: PriceUpdate, t: Translate): string {
  const parts = [
    added.length > 0 ? t("{{number}} new", { number: added.length }) : "",
    changed.length > 0 ? t("{{number}} changed", { number: changed.length }) : "",
    removed.length > 0 ? t("{{number}} removed", { number: removed.length }) : "",
    locked.length > 0 ? t("{{number}} locked and kept", { number: locked.length }) : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? t("No changes.") : joinList(parts);
}

function Names({ update }: { update: PriceUpdate }) {
  const { t } = useTranslation("prices");
  const lists: [string, string[]][] = [
    [t("New"), update.added],
    [t("Changed"), update.changed],
    [t("Removed"), update.removed],
    [t("Locked"), update.locked],
  ];
  const shown = lists.filter(([, models]) => models.length > 0);
  if (shown.length === 0) return null;
  return (
    <Popover width={360} position="bottom-start" withArrow shadow="md">
      <Popover.Target>
        <Anchor component="button" type="button" fz="sm">
          {t("Show the models")}
        </Anchor>
      </Popover.Target>
      <Popover.Dropdown mah={360} style={{ overflowY: "auto" }}>
        <Stack gap="sm">
          {shown.map(([title, models]) => (
            <div key={title}>
              <Text fz="xs" c="dimmed">
                {title}
              </Text>
              <Text fz="sm" style={{ overflowWrap: "anywhere" }}>
                {joinList(models)}
              </Text>
            </div>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
