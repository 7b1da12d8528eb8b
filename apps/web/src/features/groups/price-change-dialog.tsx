/** Changes the prices of a group by a percentage. `?prices=group` asks for the group, `?prices=3` names it. */
import { formatCost } from "@gateway/shared/billing/money";
import { UserGroupInput } from "@gateway/shared/channels/group";
import { Alert, Button, Group, NumberInput, Select, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { groupParams } from "#lib/address/list-queries.ts";
import { initialOf } from "#lib/address/params.ts";
import { errorReason } from "#lib/errors/error-text.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { LoadError } from "#ui/empty.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { toast } from "#ui/toast.tsx";
import { groupsQuery, useChangeRatio } from "./api.ts";
import { priceSteps, changeRatio } from "./price-steps.ts";

/** The server's largest page. */
const allGroups = { ...initialOf(groupParams), size: 100, order: "id" };

export function PriceChangeDialog({ group, onClose }: { group: string; onClose: () => void }) {
  const { t } = useTranslation("groups");
  const groups = useQuery(groupsQuery(allGroups));
  const [chosen, setChosen] = useState(/^\d+$/.test(group) ? group : "");
  const [percent, setPercent] = useState<number | string>(20);
  const change = useChangeRatio();
  const list = groups.data?.data ?? [];
  const row = list.find(({ id }) => String(id) === chosen);
  const ratio = row === undefined ? 0 : changeRatio(row.ratio, Number(percent) || 0);
  const isValid =
    row !== undefined && row.ratio !== ratio && UserGroupInput.shape.ratio.safeParse(ratio).success;
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isValid) return;
    change.mutate(
      { id: row.id, ratio },
      {
        onSuccess: () => {
          toast.success(t("Prices of {{name}} changed", { name: row.name }));
          onClose();
        },
      },
    );
  };
  return (
    <HelpModal
      help="users#groups"
      opened
      onClose={onClose}
      centered
      title={row ? t("Change the prices of {{name}}", { name: row.name }) : t("Change the prices of a group")}
    >
      {groups.error ? (
        <LoadError error={groups.error} onRetry={() => void groups.refetch()} />
      ) : groups.data === undefined ? (
        <Skeleton height={180} aria-busy />
      ) : (
        <form onSubmit={save}>
          <Stack gap="md">
            <Select
              label={t("Group")}
              data={list.map(({ id, name, symbol }) => ({
                value: String(id),
                label: name === symbol ? name : `${name} (${symbol})`,
              }))}
              value={chosen === "" ? null : chosen}
              onChange={(next) => setChosen(next ?? "")}
              searchable
              allowDeselect={false}
              comboboxProps={{ withinPortal: false }}
            />
            <Group gap="xs" align="flex-end">
              <NumberInput
                label={t("Change")}
                suffix="%"
                min={-99}
                max={10_000}
                decimalScale={2}
                w={{ base: "100%", sm: 120 }}
                value={percent}
                onChange={setPercent}
                data-autofocus={row === undefined ? undefined : true}
              />
              {priceSteps.map((step) => (
                <Button
                  key={step}
                  variant={percent === step ? "light" : "default"}
                  aria-pressed={percent === step}
                  px="xs"
                  onClick={() => setPercent(step)}
                >
                  {step > 0 ? `+${step}%` : `−${-step}%`}
                </Button>
              ))}
            </Group>
            {row === undefined ? null : row.ratio === 0 ? (
              <Text>
                {t("Calls are free for this group. To change prices, edit the group and set a ratio first.")}
              </Text>
            ) : (
              <Text>
                {withSpace(
                  t("A call that costs {{before}} now will cost {{after}}.", {
                    before: formatCost(row.ratio),
                    after: formatCost(ratio),
                  }),
                )}
                <Text span c="dimmed" fz="sm">
                  {t("Ratio ×{{before}} → ×{{after}}, for all models.", { before: row.ratio, after: ratio })}
                </Text>
              </Text>
            )}
            {change.error ? (
              <Alert color="red" icon={<IconAlertTriangle size={17} />}>
                {errorReason(change.error, t)}
              </Alert>
            ) : null}
            <DialogButtons>
              <Button variant="default" onClick={onClose}>
                {t("Cancel")}
              </Button>
              <Button type="submit" disabled={!isValid} loading={change.isPending}>
                {t("Change the prices")}
              </Button>
            </DialogButtons>
          </Stack>
        </form>
      )}
    </HelpModal>
  );
}
