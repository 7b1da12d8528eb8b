import type { UserGroupMap } from "@gateway/shared/channels/group";
import type { ModelFacts } from "@gateway/shared/channels/model-info";
import { Anchor, Badge, Drawer, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/provider-icon.tsx";
import { nameOfModality } from "#lib/modalities.ts";
import { useFormat } from "#lib/quota.ts";
import { isOutputKind, isTier, isTool, nameOfKind } from "#lib/usage-kinds.ts";
import { CopyCode } from "#ui/copy.tsx";
import { Fact, Facts } from "#ui/facts.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { type Offer, priceOf, type Unit } from "./offers.ts";

type OfferDrawerProps = {
  offer: Offer | undefined;
  groups: UserGroupMap;
  /** The group whose ratio the prices below the table have. */
  group: string;
  unit: Unit;
  onClose: () => void;
};

/** One model: its price in every group, and what else counts. */
export function OfferDrawer({ offer, groups, group, unit, onClose }: OfferDrawerProps) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  return (
    <Drawer
      opened={offer !== undefined}
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
          <Group gap="xs">
            <CopyCode text={offer.model} label={t("Model name")} />
            {offer.owner ? <Badge color="gray">{offer.owner}</Badge> : null}
            <Badge>
              {offer.type === "times" ? t("per call") : offer.type === "" ? t("No price") : t("by tokens")}
            </Badge>
          </Group>
          {offer.info ? <About info={offer.info} /> : null}
          <GroupPrices offer={offer} groups={groups} unit={unit} />
          <Extras offer={offer} ratio={groups[group]?.ratio ?? 1} unit={unit} />
          <Tiers offer={offer} ratio={groups[group]?.ratio ?? 1} unit={unit} />
        </Stack>
      ) : null}
    </Drawer>
  );
}

/** What the catalogue knows. */
function About({ info }: { info: ModelFacts }) {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = (list: readonly string[]) => list.map((word) => t(nameOfModality(word))).join(", ") || "–";
  const tokens = (count: number) =>
    count > 0 ? t("{{tokens}} tokens", { count, tokens: format.short(count) }) : "–";
  return (
    <Stack gap="md">
      {info.description ? <Text fz="sm">{info.description}</Text> : null}
      <Facts columns={2}>
        {info.name ? <Fact label={t("Name")}>{info.name}</Fact> : null}
        <Fact label={t("Context")}>{tokens(info.context_length)}</Fact>
        <Fact label={t("Longest answer")}>{tokens(info.max_tokens)}</Fact>
        <Fact label={t("Input")}>{labels(info.input_modalities)}</Fact>
        <Fact label={t("Output")}>{labels(info.output_modalities)}</Fact>
      </Facts>
      {info.tags.length > 0 ? (
        <Group gap={4}>
          {info.tags.map((tag) => (
            <Badge key={tag} size="sm" color="gray">
              {tag}
            </Badge>
          ))}
        </Group>
      ) : null}
      {info.support_url.map((url) => (
        <Anchor
          key={url}
          href={url}
          target="_blank"
          rel="noreferrer"
          fz="sm"
          style={{ overflowWrap: "anywhere" }}
        >
          {url}
        </Anchor>
      ))}
    </Stack>
  );
}

function GroupPrices({ offer, groups, unit }: { offer: Offer; groups: UserGroupMap; unit: Unit }) {
  const { t } = useTranslation();
  const options = { unit, freeWord: t("Free") };
  const perCall = offer.type === "times";
  return (
    <div>
      <Title order={3} fz="md" mb="xs">
        {perCall
          ? t("Price of a call")
          : unit === "M"
            ? t("Price per million tokens")
            : t("Price per thousand tokens")}
      </Title>
      <Table className="tabular">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("Group")}</Table.Th>
            <Table.Th ta="right">{perCall ? t("per call") : t("Input")}</Table.Th>
            {perCall ? null : <Table.Th ta="right">{t("Output")}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.values(groups).map(({ symbol, name, ratio }) => {
            const reachable = offer.groups.includes(symbol) && offer.type !== "";
            return (
              <Table.Tr key={symbol}>
                <Table.Td>
                  {name}{" "}
                  <Text span c="dimmed" fz="xs">
                    ×{ratio}
                  </Text>
                </Table.Td>
                {reachable ? (
                  <>
                    <Table.Td ta="right">{priceOf(offer, offer.input, ratio, options)}</Table.Td>
                    {perCall ? null : (
                      <Table.Td ta="right">{priceOf(offer, offer.output, ratio, options)}</Table.Td>
                    )}
                  </>
                ) : (
                  <Table.Td ta="right" colSpan={2} c="dimmed">
                    {offer.type === "" ? t("No price") : t("Not in this group")}
                  </Table.Td>
                )}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type PartProps = { offer: Offer; ratio: number; unit: Unit };

/** Other kinds of tokens as multiples of the input or output price, and tools by the call. */
function Extras({ offer, ratio, unit }: PartProps) {
  const { t } = useTranslation();
  const entries = Object.entries(offer.extras);
  if (entries.length === 0) return null;
  const priceOfKind = (kind: string, value: number) => {
    if (isTool(kind)) return `$${Number((value * ratio).toPrecision(6))}`;
    const multiple = (base: number) =>
      priceOf(offer, base * value, ratio, { unit, freeWord: t("Free"), usdOnly: true });
    if (isTier(kind)) return `${multiple(offer.input)} / ${multiple(offer.output)}`;
    return multiple(isOutputKind(kind) ? offer.output : offer.input);
  };
  return (
    <div>
      <Title order={3} fz="md">
        {t("Extended pricing")}
      </Title>
      <Text c="dimmed" fz="sm" mb="xs">
        {t("With the ratio of the chosen group; tools per call.")}
      </Text>
      <Table className="tabular">
        <Table.Tbody>
          {entries.map(([kind, value]) => (
            <Table.Tr key={kind}>
              <Table.Td>{t(nameOfKind(kind))}</Table.Td>
              <Table.Td ta="right" c="dimmed">
                {isTool(kind) ? t("per call") : `×${Number(value.toPrecision(6))}`}
              </Table.Td>
              <Table.Td ta="right">{priceOfKind(kind, value)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Other prices once the input passes a length. */
function Tiers({ offer, ratio, unit }: PartProps) {
  const { t } = useTranslation();
  if (offer.tiers.length === 0) return null;
  const options = { unit, freeWord: t("Free"), usdOnly: true };
  return (
    <div>
      <Title order={3} fz="md" mb="xs">
        {t("Long context")}
      </Title>
      <Table className="tabular">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("Above input tokens")}</Table.Th>
            <Table.Th ta="right">{t("Input")}</Table.Th>
            <Table.Th ta="right">{t("Output")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {offer.tiers.map((tier) => (
            <Table.Tr key={tier.above}>
              <Table.Td>{tier.above.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{priceOf(offer, tier.input, ratio, options)}</Table.Td>
              <Table.Td ta="right">{priceOf(offer, tier.output, ratio, options)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
