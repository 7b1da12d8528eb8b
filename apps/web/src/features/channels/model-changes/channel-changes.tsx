/** The models that the provider of one channel added or removed, with the actions for them. */
import type { ChannelModelChanges, ModelChangeKind } from "@gateway/shared/models/model-change";
import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { useProvider } from "#features/channels/api.ts";
import { UnpricedModels } from "#features/channels/editor/unpriced-models.tsx";
import { useMayChange } from "#lib/changes.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { useApplyChanges, useIgnoreChanges } from "./api.ts";
import classes from "./changes.module.css";

const phrase = phrasesIn("channels");

/** Models of a group that are shown at first. */
const shownAtFirst = 12;

const groups = [
  { kind: "added", title: phrase("New at the provider"), color: "green" },
  { kind: "removed", title: phrase("No longer in the provider's list"), color: "red" },
  { kind: "unlisted", title: phrase("Never in the provider's list"), color: "dimmed" },
] as const satisfies { kind: ModelChangeKind; title: string; color: string }[];

export function ChannelChanges({ channel, ignored }: { channel: ChannelModelChanges; ignored: boolean }) {
  const provider = useProvider(channel.channel_type);
  return (
    <section className={classes.channel} aria-label={channel.channel_name}>
      <Group gap={10} wrap="nowrap" mb={6}>
        <ProviderIcon name={provider?.icon ?? ""} />
        <Anchor component={Link} to={`/panel/channel/${channel.channel_id}`} fw={600} lineClamp={1}>
          {channel.channel_name}
        </Anchor>
      </Group>
      <Stack gap="sm">
        {groups.map(({ kind, title, color }) =>
          channel[kind].length === 0 ? null : (
            <KindGroup
              key={kind}
              channel={channel}
              kind={kind}
              ignored={ignored}
              title={title}
              color={color}
            />
          ),
        )}
      </Stack>
      {channel.added.length > 0 && !ignored ? <UnpricedModels models={channel.added} mapping={{}} /> : null}
    </section>
  );
}

type KindGroupProps = {
  channel: ChannelModelChanges;
  kind: ModelChangeKind;
  ignored: boolean;
  title: string;
  color: string;
};

function KindGroup({ channel, kind, ignored, title, color }: KindGroupProps) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const [isOpen, setOpen] = useState(false);
  const apply = useApplyChanges();
  const ignore = useIgnoreChanges();
  const models = channel[kind];
  const shown = isOpen ? models : models.slice(0, shownAtFirst);
  const id = channel.channel_id;
  const busy = apply.isPending || ignore.isPending;

  const texts = ignored
    ? { apply: [], ignore: [t("Show again"), t("Show all again")] }
    : kind === "added"
      ? { apply: [t("Add"), t("Add all")], ignore: [t("Ignore"), t("Ignore all")] }
      : { apply: [t("Remove"), t("Remove all")], ignore: [t("Ignore"), t("Ignore all")] };
  /** @param of the model or channel, for the names of the buttons */
  const actions = (which: string[], of: string) => {
    if (!mayChange) return null;
    const at = which.length === 1 ? 0 : 1;
    return (
      <Group gap={6} wrap="nowrap">
        {ignored ? null : (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${texts.apply[at]} ${of}`}
            disabled={busy}
            onClick={() => apply.mutate({ id, mode: kind === "added" ? "add" : "remove", models: which })}
          >
            {texts.apply[at]}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant={ignored ? "default" : "subtle"}
          color="gray"
          aria-label={`${texts.ignore[at]} ${of}`}
          disabled={busy}
          onClick={() => ignore.mutate({ id, models: which, ignored: !ignored })}
        >
          {texts.ignore[at]}
        </Button>
      </Group>
    );
  };

  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text fz="sm" fw={500} c={color}>
          {t(title)} · {models.length}
        </Text>
        {models.length > 1 ? actions(models, channel.channel_name) : null}
      </Group>
      {shown.map((model) => (
        <div key={model} className={classes.row}>
          <span className={classes.name}>{model}</span>
          {actions([model], model)}
        </div>
      ))}
      {models.length > shown.length ? (
        <Button size="compact-sm" variant="subtle" onClick={() => setOpen(true)}>
          {t("Show all {{count}}", { count: models.length })}
        </Button>
      ) : null}
    </div>
  );
}
