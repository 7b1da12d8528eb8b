/** What is shown in place of an opened row that is not loaded, or does not exist. */
import { Button, Modal, Skeleton, Stack } from "@mantine/core";
import { IconFileUnknown } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Empty, LoadError } from "#ui/empty.tsx";
import { SideDrawer } from "./side-drawer.tsx";

type WaitingProps = { onClose: () => void; error?: unknown; onRetry?: () => void };

export function RowLoading({ onClose, error, onRetry }: WaitingProps) {
  return (
    <SideDrawer onClose={onClose} title=" ">
      {error ? (
        <LoadError error={error} {...(onRetry ? { onRetry } : {})} />
      ) : (
        <Stack gap="lg" aria-busy>
          {[0, 1, 2, 3].map((line) => (
            <Skeleton key={line} height={36} />
          ))}
        </Stack>
      )}
    </SideDrawer>
  );
}

export function RowMissing({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={onClose} title={t("Not found")} centered>
      <Empty
        compact
        icon={IconFileUnknown}
        title={t("This entry does not exist")}
        hint={t("It may have been deleted, you may not have access to it, or the link is incomplete.")}
        action={<Button onClick={onClose}>{t("Show the list")}</Button>}
      />
    </Modal>
  );
}
