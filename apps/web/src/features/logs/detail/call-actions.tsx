/** Actions for the displayed call. */
import type { LogRow } from "@gateway/shared/usage/log";
import { Button, Group } from "@mantine/core";
import { IconArrowUpRight, IconLink } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { idOfCall, linkToCall, pathOfCall } from "#features/logs/call-address.ts";
import { copyText } from "#ui/copy.tsx";

/** @param inPanel adds a link to the call's own page */
export function CallActions({ row, inPanel = false }: { row: LogRow; inPanel?: boolean }) {
  const { t } = useTranslation("logs");
  const id = idOfCall(row);
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size="xs"
        leftSection={<IconLink size={15} />}
        onClick={() => void copyText(linkToCall(id), t("Link"))}
      >
        {t("Copy link")}
      </Button>
      {inPanel ? (
        <Button
          component={Link}
          to={pathOfCall(id)}
          variant="default"
          size="xs"
          leftSection={<IconArrowUpRight size={15} />}
        >
          {t("Open page")}
        </Button>
      ) : null}
    </Group>
  );
}
