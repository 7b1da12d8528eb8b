/** The catalogue's description of a model. */
import { Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { joinList } from "#lib/format/join-list.ts";
import { useFormat } from "#lib/format/quota.ts";
import { nameOfModality } from "#lib/labels/modalities.ts";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { Section } from "#ui/page/page.tsx";
import { modelKindName } from "./labels.ts";
import type { Offer } from "./offers.ts";

export function ModelAbout({ offer }: { offer: Offer }) {
  const { t } = useTranslation("model-prices");
  const format = useFormat();
  const { info } = offer;
  const labels = (list: readonly string[]) => joinList(list.map((word) => t(nameOfModality(word)))) || "–";
  const tokens = (count: number) =>
    count > 0 ? t("{{tokens}} tokens", { count, tokens: format.short(count) }) : "–";
  return (
    <Section title={t("About this model")}>
      <Stack gap="md">
        {info?.description ? <Text fz="sm">{info.description}</Text> : null}
        <Facts columns={2}>
          {info?.name ? <Fact label={t("Name")}>{info.name}</Fact> : null}
          <Fact label={t("Provider")}>{offer.owner || "–"}</Fact>
          <Fact label={t("Type")}>{t(modelKindName(offer.kind))}</Fact>
          {info ? (
            <>
              <Fact label={t("Context")}>{tokens(info.context_length)}</Fact>
              <Fact label={t("Max output")}>{tokens(info.max_tokens)}</Fact>
              <Fact label={t("Input")}>{labels(info.input_modalities)}</Fact>
              <Fact label={t("Output")}>{labels(info.output_modalities)}</Fact>
            </>
          ) : null}
        </Facts>
        {info && info.tags.length > 0 ? (
          <Group gap={4}>
            {info.tags.map((tag) => (
              <Badge key={tag} size="sm" color="gray">
                {tag}
              </Badge>
            ))}
          </Group>
        ) : null}
        {info?.support_url.map((url) => (
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
    </Section>
  );
}
