/** Midjourney tasks: status, result and cost. */
import type { MidjourneyRow } from "@gateway/shared/channels/task";
import { Anchor, Group, Image, Text } from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useListParams } from "#lib/address/list-params.ts";
import { taskParams } from "#lib/address/list-queries.ts";
import { useMayEnter } from "#lib/session.ts";
import { CopyButton } from "#ui/copy.tsx";
import { Empty } from "#ui/empty.tsx";
import { Section } from "#ui/page/page.tsx";
import { Short } from "#ui/short.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { fetchMidjourney, keyOfMidjourney, midjourneyQuery, type TaskScope } from "./api.ts";
import { taskColumns } from "./task-columns.tsx";
import { TaskFilters } from "./task-filters.tsx";
import { actionWord, midjourneyActions } from "./task-labels.ts";
import { TaskList } from "./task-list.tsx";
import { Download } from "./task-preview.tsx";
import { summarizePicture } from "./task-summary.ts";
import classes from "./tasks.module.css";

export default function MidjourneyPage() {
  const { t } = useTranslation("tasks");
  const [query, setQuery] = useListParams(taskParams);
  const scope: TaskScope = useMayEnter("logs") ? "everybody" : "own";
  const forAdmins = scope === "everybody";
  const columns = useMemo(
    () => [pictureColumn(t), ...taskColumns<MidjourneyRow>(t, { forAdmins, read: summarizePicture })],
    [t, forAdmins],
  );
  return (
    <TaskList
      id="midjourney"
      title="Midjourney"
      description={t("Image tasks run in the background. Failed tasks are refunded.")}
      icon={IconPhoto}
      list={useQuery(midjourneyQuery(scope, query))}
      keyOf={keyOfMidjourney}
      load={(key) => fetchMidjourney(scope, key)}
      query={query}
      onQuery={setQuery}
      columns={columns}
      shown={summarizePicture}
      result={(row) => <Picture row={row} />}
      forAdmins={forAdmins}
      filters={<TaskFilters query={query} onChange={setQuery} scope={scope} actions={midjourneyActions} />}
      empty={
        <Empty
          icon={IconPhoto}
          title={t("No images yet")}
          hint={t("Create an image with one of your tokens. You can follow its progress here.")}
        />
      }
    />
  );
}

/** Addresses come from providers. Only addresses that an image may be loaded from are valid. */
function addressOf({ image_url: url }: MidjourneyRow): string | undefined {
  return /^(https:|data:image\/)/.test(url) ? url : undefined;
}

function pictureColumn(t: TFunction<"tasks">): Column<MidjourneyRow> {
  return {
    id: "action",
    title: t("Image"),
    fixed: true,
    sortable: true,
    card: "title",
    width: 280,
    cell: (row) => (
      <Group gap={12} wrap="nowrap" miw={0}>
        <Thumbnail address={addressOf(row)} />
        <div style={{ minWidth: 0 }}>
          <Text fw={500} fz="sm">
            {t(actionWord(row.action))}
            <Text span c="dimmed" fz="xs" ml={6} fw={400}>
              {row.mode}
            </Text>
          </Text>
          <Text component="div" fz="xs" c="dimmed" fw={400}>
            <Short text={row.prompt || row.mj_id} width={220} />
          </Text>
        </div>
      </Group>
    ),
  };
}

function Thumbnail({ address }: { address: string | undefined }) {
  if (address === undefined)
    return (
      <div className={classes.noPicture}>
        <IconPhoto size={18} stroke={1.5} />
      </div>
    );
  return <Image src={address} alt="" loading="lazy" w={48} h={48} radius="md" fit="cover" flex="none" />;
}

function Picture({ row }: { row: MidjourneyRow }) {
  const { t } = useTranslation("tasks");
  const address = addressOf(row);
  // Some tasks return text: the description of an image, a shortened prompt.
  if (address === undefined)
    return row.prompt_en === "" ? null : <Section padding="md">{row.prompt_en}</Section>;
  return (
    <Section padding="md">
      <Image src={address} alt={row.prompt} radius="md" fit="contain" mah={520} />
      <Group gap="md" mt="sm">
        <Download url={address} />
        <Anchor href={address} target="_blank" rel="noreferrer" fz="sm">
          {t("Open in a new tab")}
        </Anchor>
        <CopyButton text={address} label={t("Address")} />
      </Group>
    </Section>
  );
}
