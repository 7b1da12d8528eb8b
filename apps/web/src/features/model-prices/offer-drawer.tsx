import type { UserGroupMap } from "@gateway/shared/group";
import { Drawer, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/quota.ts";
import { CopyCode } from "#ui/copy.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { ModelIcon } from "#ui/vendor-icon.tsx";
import { type Offer, priceOf, type Unit } from "./offers.ts";

type OfferDrawerProps = { offer: Offer | null; groups: UserGroupMap; unit: Unit; onClose: () => void };

/** One model: its price in every group that reaches it, and what else counts. */
export function OfferDrawer({ offer, groups, unit, onClose }: OfferDrawerProps) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const options = { unit, freeWord: t("Free") };
  return (
    <Drawer
      opened={offer !== null}
      onClose={onClose}
      position="right"
      size={phone ? "100%" : 520}
      title={
        <Group gap={10} wrap="nowrap">
          <ModelIcon model={offer?.model ?? ""} size={22} />
          <Title order={2} component="span" fz="lg">
            {offer?.model}
          </Title>
        </Group>
      }
    >
      {offer ? (
        <Stack gap="xl">
          <CopyCode text={offer.model} label={t("Model name")} />
          <div>
            <Title order={3} fz="md" mb="xs">
              {unit === "M" ? t("Price per million tokens") : t("Price per thousand tokens")}
            </Title>
            <Table className="tabular">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t("Group")}</Table.Th>
                  <Table.Th ta="right">{offer.type === "times" ? t("per call") : t("Input")}</Table.Th>
                  {offer.type === "times" ? null : <Table.Th ta="right">{t("Output")}</Table.Th>}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {offer.groups.map((symbol) => {
                  const ratio = groups[symbol]?.ratio ?? 1;
                  return (
                    <Table.Tr key={symbol}>
                      <Table.Td>{groups[symbol]?.name ?? symbol}</Table.Td>
                      <Table.Td ta="right">{priceOf(offer, offer.input, ratio, options)}</Table.Td>
                      {offer.type === "times" ? null : (
                        <Table.Td ta="right">{priceOf(offer, offer.output, ratio, options)}</Table.Td>
                      )}
                    </Table.Tr>
                  );
                })}
              </Table.Tbody>
            </Table>
          </div>
          <Tiers offer={offer} unit={unit} />
          <Extras extras={offer.extras} />
        </Stack>
      ) : null}
    </Drawer>
  );
}

/** What a long request costs, before the group's ratio. */
function Tiers({ offer, unit }: { offer: Offer; unit: Unit }) {
  const { t } = useTranslation();
  const format = useFormat();
  const options = { unit, freeWord: t("Free") };
  if (offer.tiers.length === 0) return null;
  return (
    <div>
      <Title order={3} fz="md" mb="xs">
        {t("Long requests")}
      </Title>
      <Table className="tabular">
        <Table.Tbody>
          {offer.tiers.map((tier) => (
            <Table.Tr key={tier.above}>
              <Table.Td>{t("Above {{tokens}} input tokens", { tokens: format.short(tier.above) })}</Table.Td>
              <Table.Td ta="right">{priceOf(offer, tier.input, 1, options)}</Table.Td>
              <Table.Td ta="right">{priceOf(offer, tier.output, 1, options)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Other kinds of tokens, as a share of the input or output price. */
function Extras({ extras }: { extras: Record<string, number> }) {
  const { t } = useTranslation();
  const entries = Object.entries(extras);
  if (entries.length === 0) return null;
  return (
    <div>
      <Title order={3} fz="md">
        {t("Other tokens")}
      </Title>
      <Text c="dimmed" fz="sm" mb="xs">
        {t("Multiplied with the price above.")}
      </Text>
      <Table className="tabular">
        <Table.Tbody>
          {entries.map(([kind, ratio]) => (
            <Table.Tr key={kind}>
              <Table.Td ff="monospace">{kind}</Table.Td>
              <Table.Td ta="right">×{ratio}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
