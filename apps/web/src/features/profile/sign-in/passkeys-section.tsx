/** Passkeys: sign-in with a fingerprint, a face or the device's code. */
import type { PasskeyRow } from "@gateway/shared/accounts/passkey";
import { ActionIcon, Badge, Button, Modal, Skeleton, Text, Tooltip } from "@mantine/core";
import { IconFingerprint, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/errors/error-text.ts";
import { useSelf } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { confirm } from "#ui/confirm.tsx";
import { QueryFallback } from "#ui/empty.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { Section } from "#ui/page/page.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { toast } from "#ui/toast.tsx";
import { AddPasskey, RenamePasskey } from "./passkey-forms.tsx";
import { passkeysQuery, useRemovePasskey } from "./passkeys-api.ts";

export function PasskeysSection() {
  const { t } = useTranslation("profile");
  const self = useSelf();
  const site = useSite();
  const passkeys = useQuery(passkeysQuery);
  const [adding, setAdding] = useState(false);
  const [renaming, setRenaming] = useState<PasskeyRow | null>(null);
  const possible = "PublicKeyCredential" in window && site?.passkey_login === true;
  const count = passkeys.data?.length ?? 0;
  if (!self || (!possible && count === 0)) return null;
  const close = () => {
    setAdding(false);
    setRenaming(null);
  };
  return (
    <Section
      title={t("Passkeys")}
      hint={t(
        "Sign in with your fingerprint, your face or the PIN of your device, without a password or second factor.",
      )}
      aside={
        possible ? (
          <Button variant="default" onClick={() => setAdding(true)}>
            {t("Add passkey")}
          </Button>
        ) : null
      }
    >
      {!passkeys.data ? (
        <QueryFallback query={passkeys}>
          <Skeleton height={56} radius="md" />
        </QueryFallback>
      ) : count === 0 ? (
        <Text fz="sm" c="dimmed">
          {t("You have no passkeys. Add one for each device that you use to sign in.")}
        </Text>
      ) : (
        <LineList>
          {passkeys.data.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} onRename={() => setRenaming(passkey)} />
          ))}
        </LineList>
      )}
      <Modal
        opened={adding || renaming !== null}
        onClose={close}
        title={renaming ? t("Rename the passkey") : t("Add passkey")}
      >
        {adding ? <AddPasskey asksPassword={self.has_password} onDone={close} /> : null}
        {renaming ? <RenamePasskey passkey={renaming} onDone={close} /> : null}
      </Modal>
    </Section>
  );
}

function Row({ passkey, onRename }: { passkey: PasskeyRow; onRename: () => void }) {
  const { t } = useTranslation("profile");
  const remove = useRemovePasskey();
  const { alias: name } = passkey;
  const act = async () => {
    const sure = await confirm({
      title: t("Remove the passkey “{{name}}”?", { name }),
      body: t(
        "You can no longer use it to sign in. Your device may still offer it, so delete it there, too.",
      ),
      action: t("Remove"),
    });
    if (!sure) return;
    remove.mutate(passkey.id, {
      onSuccess: () => toast.success(t("Passkey removed")),
      onError: (error) => toast.error(t("Error: {{message}}", { message: errorReason(error, t) })),
    });
  };
  const rename = t("Rename {{name}}", { name });
  const removal = t("Remove {{name}}", { name });
  return (
    <Line
      picture={<IconFingerprint size={18} stroke={1.7} />}
      title={
        <Text fw={500} truncate>
          {name}{" "}
          {passkey.backed_up ? (
            <Badge size="xs" color="gray" variant="light" ml={4}>
              {t("Synced")}
            </Badge>
          ) : null}
        </Text>
      }
      detail={
        passkey.last_used === null ? (
          <>
            {t("added")} <RelativeTime seconds={passkey.created_time} />
          </>
        ) : (
          <>
            {t("last used")} <RelativeTime seconds={passkey.last_used} />
          </>
        )
      }
      action={
        <>
          <Tooltip label={rename}>
            <ActionIcon aria-label={rename} onClick={onRename}>
              <IconPencil size={16} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={removal}>
            <ActionIcon aria-label={removal} loading={remove.isPending} onClick={() => void act()}>
              <IconTrash size={16} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
        </>
      }
    />
  );
}
