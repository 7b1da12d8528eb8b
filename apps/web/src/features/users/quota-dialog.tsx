/** Adds to or deducts from a user's balance, with a remark for the log. */
import type { UserListRow } from "@gateway/shared/accounts/user";
import { Button, Group, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { PointsInput } from "#components/points-input.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { toast } from "#ui/toast.tsx";
import { useChangeQuota } from "./api.ts";

export function QuotaDialog({ user, onClose }: { user: UserListRow; onClose: () => void }) {
  const { t } = useTranslation("users");
  const format = useFormat();
  const change = useChangeQuota();
  const [takes, setTakes] = useState(false);
  const [size, setSize] = useState(0);
  const [remark, setRemark] = useState("");
  const [tried, setTried] = useState(false);

  const points = takes ? -size : size;
  const free = user.quota - user.reserved;
  const problem =
    points === 0
      ? t("Enter an amount")
      : -points > free
        ? t("Cannot deduct an amount exceeding the user's balance")
        : "";

  const save = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problem !== "") return;
    change.mutate(
      { id: user.id, quota: points, remark },
      {
        onSuccess: ({ quota }) => {
          toast.success(t("New balance: {{balance}}", { balance: format.usd(quota) }));
          onClose();
        },
      },
    );
  };

  return (
    <HelpModal
      help="billing#give-credit"
      opened
      onClose={onClose}
      title={t("Balance of {{name}}", { name: user.username })}
    >
      <form onSubmit={save} noValidate>
        <Stack>
          <Text c="dimmed">
            {t("Current balance: {{balance}} ({{points}} points)", {
              balance: format.usd(user.quota),
              count: user.quota,
              points: format.whole(user.quota),
            })}
          </Text>
          <SegmentedControl
            fullWidth
            aria-label={t("Direction")}
            data={[
              { value: "add", label: t("Add") },
              { value: "take", label: t("Deduct") },
            ]}
            value={takes ? "take" : "add"}
            onChange={(value) => setTakes(value === "take")}
          />
          <PointsInput
            label={t("Amount in dollars")}
            data-autofocus
            placeholder="$0"
            value={size}
            onChange={setSize}
            error={tried && problem !== "" ? problem : undefined}
            description={t("= {{points}} points", { count: size, points: format.whole(size) })}
          />
          <Textarea
            label={t("Remark")}
            description={t("Shown in the log of the user and in the audit log.")}
            autosize
            minRows={2}
            maxLength={500}
            value={remark}
            onChange={(event) => setRemark(event.currentTarget.value)}
          />
          <Group justify="space-between" wrap="nowrap">
            <Text fz="sm" c="dimmed" className="tabular">
              {points !== 0 && problem === ""
                ? t("New balance: {{balance}}", { balance: format.usd(user.quota + points) })
                : null}
            </Text>
            <Group gap="xs" wrap="nowrap">
              <Button variant="default" onClick={onClose}>
                {t("Cancel")}
              </Button>
              <Button type="submit" loading={change.isPending} color={takes ? "red" : undefined}>
                {takes ? t("Deduct") : t("Add")}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </HelpModal>
  );
}
