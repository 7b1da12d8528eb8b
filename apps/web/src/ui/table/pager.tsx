import { Button, Group, Pagination, Select, Skeleton, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { fittingRows, isAutomaticSize, pageSizes, storeChosenSize } from "#lib/lists/page-size.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";
import classes from "./data-table.module.css";

export type Paging =
  | {
      kind: "pages";
      page: number;
      size: number;
      /** Undefined while loading. */
      total: number | undefined;
      onChange: (patch: { page?: number; size?: number }) => void;
    }
  /** Keyset lists: more rows are appended. */
  | {
      kind: "more";
      hasMore: boolean;
      loading: boolean;
      onMore: () => void;
      /** Label of the button; default "Load more". */
      moreLabel?: string | undefined;
      /** After the number of rows. */
      note?: string | undefined;
    }
  | { kind: "none" };

type PagerProps = {
  paging: Paging;
  /** Rows on the page. */
  shown: number;
};

export function Pager({ paging, shown }: PagerProps) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  if (paging.kind === "none") return null;
  if (paging.kind === "more")
    return shown === 0 ? null : (
      <div className={classes.pager}>
        <Text c="dimmed" fz="sm">
          {[t("{{count}} rows shown", { count: shown }), paging.note].filter(Boolean).join(" · ")}
        </Text>
        {paging.hasMore ? (
          <Button variant="default" loading={paging.loading} onClick={paging.onMore}>
            {paging.moreLabel ?? t("Load more")}
          </Button>
        ) : (
          <Text c="dimmed" fz="sm">
            {t("End of list")}
          </Text>
        )}
      </div>
    );
  const { page, size, total = 0, onChange } = paging;
  const pages = Math.max(1, Math.ceil(total / size));
  const first = total === 0 ? 0 : (page - 1) * size + 1;
  const last = Math.min(page * size, total);
  return (
    <div className={classes.pager}>
      <Group gap="sm">
        {paging.total === undefined ? (
          <Skeleton height={12} width={64} />
        ) : (
          <Text c="dimmed" fz="sm" className="tabular">
            {t("{{first}}–{{last}} of {{total}}", { first, last, total })}
          </Text>
        )}
        {phone ? null : <SizeSelect size={size} onChange={(next) => onChange({ size: next })} />}
      </Group>
      {pages > 1 ? (
        <Pagination
          size="sm"
          total={pages}
          value={Math.min(page, pages)}
          onChange={(next) => onChange({ page: next })}
          siblings={phone ? 0 : 1}
          withEdges={!phone}
          getControlProps={(control) => ({ "aria-label": controlNames(t)[control] })}
        />
      ) : null}
    </div>
  );
}

type SizeSelectProps = { size: number; onChange: (size: number) => void };

const AUTOMATIC = "automatic";

/** Rows per page. The choice is remembered for all lists; a link to a page can have another size. */
function SizeSelect({ size, onChange }: SizeSelectProps) {
  const { t } = useTranslation();
  const isAutomatic = isAutomaticSize(size);
  const choose = (value: string | null) => {
    const chosen = pageSizes.find((each) => String(each) === value);
    if (chosen === undefined && value !== AUTOMATIC) return;
    storeChosenSize(chosen);
    onChange(chosen ?? fittingRows());
  };
  const others = isAutomatic || pageSizes.some((each) => each === size) ? pageSizes : [size, ...pageSizes];
  return (
    <Select
      aria-label={t("Rows per page")}
      size="xs"
      w={140}
      data={[
        { value: AUTOMATIC, label: t("Automatic ({{rows}})", { rows: fittingRows() }) },
        ...others.map((each) => ({ value: String(each), label: String(each) })),
      ]}
      value={isAutomatic ? AUTOMATIC : String(size)}
      onChange={choose}
      allowDeselect={false}
      comboboxProps={{ position: "bottom-start" }}
    />
  );
}

function controlNames(t: (key: string) => string) {
  return { first: t("First page"), last: t("Last page"), next: t("Next page"), previous: t("Previous page") };
}
