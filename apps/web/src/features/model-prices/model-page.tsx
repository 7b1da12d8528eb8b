/** The page of a model: prices, health and code samples. The same in the console and on the public site. */
import { Anchor, Button, Group, Skeleton, Stack } from "@mantine/core";
import { IconArrowLeft, IconMessageCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";
import { DisabledModelsNote } from "#components/disabled-models/disabled-models-note.tsx";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { ClientSamples } from "#components/samples/client-samples.tsx";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useInConsole } from "#lib/address/model-address.ts";
import { usableGroupsQuery } from "#lib/queries/groups.ts";
import { modelsHealthQuery, modelsQuery } from "#lib/queries/models.ts";
import { useMayEnter, useSelf } from "#lib/session.ts";
import { usePageTitle, useServerAddress } from "#lib/site.ts";
import { CopyButton } from "#ui/copy.tsx";
import { Empty, LoadError } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Section } from "#ui/page/page.tsx";
import { ModelAbout } from "./model-about.tsx";
import { ModelHealthStrip } from "./model-health-strip.tsx";
import { ModelManagement } from "./model-management.tsx";
import { Extras, GroupPrices, Tiers } from "./model-prices-tables.tsx";
import { type Offer, offersOf } from "./offers.ts";
import classes from "./model-prices.module.css";

const DisableModelDialog = lazyPart(() =>
  import("#components/disabled-models/disable-model-dialog.tsx").then((module) => module.DisableModelDialog),
);

export default function ModelPage() {
  const { t } = useTranslation("model-prices");
  const { id: model = "" } = useParams();
  const inConsole = useInConsole();
  const list = inConsole ? "/panel/model_price" : "/price";
  const disabling = useDrawerParam("disable");
  const mayDisable = useMayEnter("channels", "edit") && inConsole;
  usePageTitle(model);
  const models = useQuery(modelsQuery);
  const groups = useQuery(usableGroupsQuery);
  const offer = offersOf(models.data ?? {}).find((each) => each.model === model);
  return (
    <>
      <Anchor component={Link} to={list} fz="sm" c="dimmed" display="inline-block" mb="sm">
        <Group gap={6} component="span">
          <IconArrowLeft size={15} />
          {t("All models")}
        </Group>
      </Anchor>
      {inConsole ? <DisabledModelsNote only={model} /> : null}
      {offer && groups.data ? (
        <ModelDetails
          key={model}
          offer={offer}
          groups={groups.data}
          onDisable={() => disabling.open(model)}
        />
      ) : models.error && !models.data ? (
        <LoadError error={models.error} onRetry={() => void models.refetch()} />
      ) : groups.error && !groups.data ? (
        <LoadError error={groups.error} onRetry={() => void groups.refetch()} />
      ) : models.data && groups.data ? (
        <Empty
          title={t("This model is not available")}
          hint={t("It is not offered to you, or the link is incomplete.")}
          action={
            <Button component={Link} to={list}>
              {t("Show all models")}
            </Button>
          }
        />
      ) : (
        <Stack gap="md" aria-busy>
          <Skeleton height={40} maw={420} />
          <Skeleton height={96} radius="lg" />
          <Skeleton height={260} radius="lg" />
        </Stack>
      )}
      {disabling.key === model && mayDisable ? (
        <DisableModelDialog model={model} onClose={disabling.close} />
      ) : null}
    </>
  );
}

type ModelDetailsProps = {
  offer: Offer;
  groups: NonNullable<ReturnType<typeof useGroups>>;
  onDisable: () => void;
};

const useGroups = () => useQuery(usableGroupsQuery).data;

function ModelDetails({ offer, groups, onDisable }: ModelDetailsProps) {
  const { t } = useTranslation("model-prices");
  const self = useSelf();
  const inConsole = useInConsole();
  const address = useServerAddress();
  const health = useQuery({ ...modelsHealthQuery, refetchInterval: 60_000 });
  // The user's own group, else the first one that reaches the model.
  const group =
    [self?.group ?? "", ...offer.groups].find((symbol) => groups[symbol] !== undefined) ??
    Object.keys(groups)[0] ??
    "";
  const priced = { name: groups[group]?.name ?? group, ratio: groups[group]?.ratio ?? 1 };
  const chats = offer.kind === "chat";
  const playground = `${inConsole ? "/panel" : ""}/playground?model=${encodeURIComponent(offer.model)}`;
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <h1 className={classes.title}>
          <ModelIcon model={offer.model} size={26} />
          {offer.model}
          <CopyButton text={offer.model} label={t("Model name")} />
        </h1>
        <Group gap="xs">
          {inConsole ? <ModelManagement model={offer.model} onDisable={onDisable} /> : null}
          {chats ? (
            <Button component={Link} to={playground} leftSection={<IconMessageCircle size={16} />}>
              {t("Open in playground")}
            </Button>
          ) : null}
        </Group>
      </Group>
      <ModelHealthStrip
        health={health.data?.models[offer.model]}
        since={health.data?.since}
        pending={health.isPending}
      />
      <div className={classes.columns}>
        <div className={classes.stack}>
          <GroupPrices offer={offer} groups={groups} own={self?.group ?? ""} />
          <Extras offer={offer} group={priced} />
          <Tiers offer={offer} group={priced} />
        </div>
        <div className={classes.stack}>
          <ModelAbout offer={offer} />
        </div>
      </div>
      {chats ? (
        <Section title={t("Call this model")} hint={t("Replace the key with one of your tokens.")}>
          <ClientSamples sample={{ address, model: offer.model }} />
        </Section>
      ) : null}
    </Stack>
  );
}
