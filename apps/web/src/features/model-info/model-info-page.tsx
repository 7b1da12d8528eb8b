/** The catalogue: descriptions of the models, for users who choose one. */
import type { ModelInfoRow } from "@gateway/shared/models/model-info";
import { Badge, Button, Group, Text } from "@mantine/core";
import { IconFileImport, IconPlus } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { paging, textParam } from "#lib/address/params.ts";
import { useMayChange } from "#lib/changes.ts";
import { joinList } from "#lib/format/join-list.ts";
import { useFormat } from "#lib/format/quota.ts";
import { nameOfModality } from "#lib/labels/modalities.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterSelect, NoMatches, SearchBox } from "#ui/table/filters.tsx";
import { EditButtons } from "#ui/table/row-buttons.tsx";
import { type Column, inOrder } from "#ui/table/table-model.ts";
import { modelInfoQuery, useDeleteModelInfo } from "./api.ts";

const ImportModelInfoDialog = lazyPart(() =>
  import("./import-dialog.tsx").then((module) => module.ImportModelInfoDialog),
);
const ModelInfoDrawer = lazyPart(() =>
  import("./model-info-drawer.tsx").then((module) => module.ModelInfoDrawer),
);

const noFilters = { keyword: "", tag: "" };
const catalogueParams = { ...paging, keyword: textParam(), tag: textParam() };

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(modelInfoQuery);
}

function isMatch(info: ModelInfoRow, { keyword, tag }: typeof noFilters): boolean {
  const searchText = keyword.trim().toLowerCase();
  return (
    (tag === "" || info.tags.includes(tag)) &&
    [info.model, info.name, info.description].some((text) => text.toLowerCase().includes(searchText))
  );
}

export default function ModelInfoPage() {
  const { t } = useTranslation("model-info");
  const mayChange = useMayChange();
  const format = useFormat();
  const [params, setParams] = useListParams(catalogueParams);
  const infos = useQuery(modelInfoQuery);
  const remove = useDeleteModelInfo();
  const edited = useDrawerParam();
  const importing = useDrawerParam("import");
  const columns = useMemo(() => infoColumns(t, format.short), [t, format]);

  const tags = [...new Set(infos.data?.flatMap((info) => info.tags))].sort();
  const matching = infos.data
    ?.filter((info) => isMatch(info, params))
    .sort((a, b) => a.model.localeCompare(b.model));
  const sortedMatches = matching && inOrder(matching, columns, params.order);
  const page = Math.min(params.page, Math.max(1, Math.ceil((sortedMatches?.length ?? 0) / params.size)));
  const filtered = params.keyword !== "" || params.tag !== "";
  const describedModels = infos.data?.map((info) => info.model) ?? [];

  const destroy = (info: ModelInfoRow) =>
    confirmDeletion(
      {
        title: t("Delete {{name}}?", { name: info.model }),
        body: t("Only the description is deleted. The model's price and channels stay."),
      },
      () => remove.mutateAsync(info.id),
    );

  const add = mayChange ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => edited.open(NEW)}>
      {t("Add description")}
    </Button>
  ) : null;
  const bring = mayChange ? (
    <Button
      variant="default"
      leftSection={<IconFileImport size={16} />}
      onClick={() => importing.open("list")}
    >
      {t("Import")}
    </Button>
  ) : null;
  return (
    <Page
      title={t("Model catalog")}
      description={t(
        "Descriptions and capabilities of models. Shown in the list of available models and wherever users select a model.",
      )}
      actions={
        <>
          {bring}
          {add}
        </>
      }
    >
      <DataTable
        id="model-info"
        views="model-info"
        label={t("Model catalog")}
        columns={columns}
        rows={sortedMatches?.slice((page - 1) * params.size, page * params.size)}
        rowKey={(info) => String(info.id)}
        fetching={infos.isFetching}
        error={infos.error}
        onRetry={() => void infos.refetch()}
        onOpen={(info) => edited.open(info.id)}
        rowActions={(info) => (
          <EditButtons onEdit={() => edited.open(info.id)} onDelete={() => void destroy(info)} />
        )}
        order={params.order}
        onOrder={(order) => setParams({ order })}
        paging={{ kind: "pages", page, size: params.size, total: sortedMatches?.length, onChange: setParams }}
        toolbar={
          <>
            <SearchBox
              value={params.keyword}
              onChange={(keyword) => setParams({ keyword })}
              placeholder={t("Find a model")}
            />
            {tags.length > 0 ? (
              <FilterSheet active={params.tag === "" ? 0 : 1}>
                <FilterSelect
                  label={t("Tag")}
                  value={params.tag}
                  onChange={(tag) => setParams({ tag })}
                  data={tags.map((tag) => ({ value: tag, label: tag }))}
                />
              </FilterSheet>
            ) : null}
          </>
        }
        empty={
          filtered ? (
            <NoMatches title={t("No model matches")} onClear={() => setParams(noFilters)} />
          ) : (
            <Empty
              title={t("No model descriptions yet")}
              hint={mayChange ? t("Import the built-in list, or add your own description.") : undefined}
              action={bring}
            />
          )
        }
      />
      <OpenedRow
        opened={edited}
        rows={infos.data}
        keyOf={(info) => String(info.id)}
        create={
          mayChange && infos.data ? (
            <ModelInfoDrawer info={undefined} taken={describedModels} onClose={edited.close} />
          ) : undefined
        }
      >
        {(info) => (
          <ModelInfoDrawer key={info.id} info={info} taken={describedModels} onClose={edited.close} />
        )}
      </OpenedRow>
      {importing.key !== "" && mayChange ? <ImportModelInfoDialog onClose={importing.close} /> : null}
    </Page>
  );
}

function infoColumns(t: TFunction<"model-info">, short: (value: number) => string): Column<ModelInfoRow>[] {
  const labels = (list: readonly string[]) => joinList(list.map((word) => t(nameOfModality(word)))) || "–";
  return [
    {
      id: "model",
      title: t("Model"),
      fixed: true,
      sortable: true,
      sortValue: (info) => info.model,
      width: 280,
      cell: (info) => (
        <Group gap={10} wrap="nowrap" miw={0}>
          <ModelIcon model={info.model} />
          <div style={{ minWidth: 0 }}>
            <Text ff="monospace" fz="sm" fw={500} truncate>
              {info.model}
            </Text>
            <Text fz="xs" c="dimmed" truncate>
              {info.name || "–"}
            </Text>
          </div>
        </Group>
      ),
    },
    {
      id: "context_length",
      title: t("Context"),
      sortable: true,
      sortValue: (info) => info.context_length,
      align: "right",
      card: "fact",
      cell: (info) => (info.context_length > 0 ? short(info.context_length) : "–"),
    },
    {
      id: "max_tokens",
      title: t("Maximum output"),
      sortable: true,
      sortValue: (info) => info.max_tokens,
      align: "right",
      card: "fact",
      cell: (info) => (info.max_tokens > 0 ? short(info.max_tokens) : "–"),
    },
    {
      id: "input_modalities",
      title: t("Input"),
      sortable: true,
      sortValue: (info) => labels(info.input_modalities),
      // Up to five, which take two lines in a narrow list.
      cell: (info) => <span style={{ whiteSpace: "normal" }}>{labels(info.input_modalities)}</span>,
    },
    {
      id: "output_modalities",
      secondary: true,
      title: t("Output"),
      sortable: true,
      sortValue: (info) => labels(info.output_modalities),
      cell: (info) => labels(info.output_modalities),
    },
    {
      id: "tags",
      secondary: true,
      title: t("Tags"),
      sortable: true,
      sortValue: (info) => info.tags.join(", "),
      cell: (info) =>
        info.tags.length === 0 ? (
          "–"
        ) : (
          <Group gap={4}>
            {info.tags.map((tag) => (
              <Badge key={tag} size="sm" color="gray">
                {tag}
              </Badge>
            ))}
          </Group>
        ),
    },
  ];
}
