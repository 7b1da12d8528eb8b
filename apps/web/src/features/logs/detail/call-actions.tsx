/** Actions for the displayed call. */
import type { LogRow } from "@gateway/shared/usage/log";
import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconArrowUpRight, IconLink, IconShare } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { isCall } from "#features/logs/log-labels.ts";
import { idOfCall, linkToCall, pathOfCall } from "#lib/address/call-address.ts";
import { copyText } from "#ui/copy.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";

const ShareDialog = lazyPart(() =>
  import("#features/logs/share/share-dialog.tsx").then((module) => module.ShareDialog),
);

/** @param inPanel adds a link to the call's own page */
export function CallActions({ row, inPanel = false }: { row: LogRow; inPanel?: boolean }) {
  const { t } = useTranslation("logs");
  const id = idOfCall(row);
  const [isSharing, sharing] = useDisclosure(false);
  return (
    <Group gap="xs">
      {isCall(row) ? (
        <Button variant="default" size="xs" leftSection={<IconShare size={15} />} onClick={sharing.open}>
          {t("Share")}
        </Button>
      ) : null}
      {isSharing ? <ShareDialog row={row} onClose={sharing.close} /> : null}
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
