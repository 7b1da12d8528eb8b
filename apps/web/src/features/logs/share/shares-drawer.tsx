/** The links to calls that the signed-in account has created and that have not ended. */
import type { ShareRow } from "@gateway/shared/usage/share";
import { Anchor, Badge, Button, Group, Pagination, ScrollArea, Skeleton, Stack, Text } from "@mantine/core";
import { IconLinkOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { pathOfCall } from "#lib/address/call-address.ts";
import { formatRelative, formatTime } from "#lib/format/quota.ts";
import { confirm } from "#ui/confirm.tsx";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { SideDrawer } from "#ui/page/side-drawer.tsx";
import { Short } from "#ui/short.tsx";
import { toast } from "#ui/toast.tsx";
import { sharesQuery, useRevokeShare } from "./share-api.ts";
import classes from "#features/logs/logs.module.css";

export function SharesDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("logs");
  const [page, setPage] = useState(1);
  const shares = useQuery(sharesQuery(page));
  const pages = shares.data ? Math.ceil(shares.data.total_count / shares.data.size) : 1;
  return (
    <SideDrawer
      onClose={onClose}
      width={480}
      scrollAreaComponent={ScrollArea.Autosize}
      title={t("Shared links")}
    >
      {!shares.data ? (
        <QueryFallback query={shares}>
          <Skeleton height={200} />
        </QueryFallback>
      ) : shares.data.data.length === 0 ? (
        <Empty
          icon={IconLinkOff}
          title={t("No shared links")}
          hint={t("Open a call and select Share to create a link that others can read without signing in.")}
        />
      ) : (
        <Stack gap="sm">
          <Stack component="ul" gap={0} p={0} m={0} className={classes.shares} aria-label={t("Shared links")}>
            {shares.data.data.map((share) => (
              <Share key={share.id} share={share} />
            ))}
          </Stack>
          {pages > 1 ? <Pagination total={pages} value={page} onChange={setPage} size="sm" /> : null}
        </Stack>
      )}
    </SideDrawer>
  );
}

function Share({ share }: { share: ShareRow }) {
  const { t } = useTranslation("logs");
  const revoking = useRevokeShare();
  const revoke = async () => {
    const sure = await confirm({
      title: t("Revoke this link?"),
      body: t("It stops working immediately. The call itself stays in your log."),
      action: t("Revoke"),
    });
    if (sure) revoking.mutate(share.id, { onSuccess: () => toast.success(t("Link revoked")) });
  };
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Anchor component={Link} to={pathOfCall(share.request_id)} fz="sm" ff="monospace">
            <Short text={share.request_id} width={260} />
          </Anchor>
          <Group gap={8} mt={2}>
            <Text fz="xs" c="dimmed" title={formatTime(share.expires_at)}>
              {t("Expires {{when}}", { when: formatRelative(share.expires_at) })}
            </Text>
            {share.with_bodies ? <Badge size="sm">{t("Request and response")}</Badge> : null}
          </Group>
        </div>
        <Button
          size="xs"
          variant="default"
          loading={revoking.isPending}
          aria-label={t("Revoke the link to {{call}}", { call: share.request_id })}
          onClick={() => void revoke()}
        >
          {t("Revoke")}
        </Button>
      </Group>
    </li>
  );
}
