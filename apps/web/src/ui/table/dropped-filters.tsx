/** Explains which filters of a link or saved view the list does not apply. Shows nothing when it applies all. */
import { Alert, Button, Code, Group, Text } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { useQueryChange, useQueryString } from "#lib/address/list-params.ts";
import { droppedParams, type Params } from "#lib/address/params.ts";
import { withSpace } from "#lib/word-spacing.ts";

type DroppedFiltersProps<T extends object> = {
  /** The parameters of the list. */
  params: Params<T>;
  /** Parameters of the page that the list does not have. Without them unknown parameters are accepted. */
  others?: readonly string[];
};

/** Long values are cut: an address can hold thousands of letters. */
const mostLetters = 40;

export function DroppedFilters<T extends object>({ params, others }: DroppedFiltersProps<T>) {
  const { t } = useTranslation();
  const search = useQueryString();
  const changeQuery = useQueryChange();
  const dropped = droppedParams(params, new URLSearchParams(search), others);
  if (dropped.length === 0) return null;
  const remove = () =>
    changeQuery((next) => {
      for (const [name] of dropped) next.delete(name);
    });
  return (
    <Alert
      color="amber"
      icon={<IconFilterOff size={17} />}
      title={t("Some filters of this link were not applied")}
    >
      <Group justify="space-between" gap="sm">
        <Text fz="sm" flex="1 1 300px" style={{ overflowWrap: "anywhere" }}>
          {withSpace(t("They do not exist in this version, or their values are invalid:"))}
          {dropped.map(([name, value], place) => (
            <Fragment key={name}>
              {place === 0 ? "" : ", "}
              <Code>
                {name}={value.length > mostLetters ? `${value.slice(0, mostLetters)}…` : value}
              </Code>
            </Fragment>
          ))}
          {". "}
          {t("The list shows the results of the other filters.")}
        </Text>
        <Button variant="default" size="xs" onClick={remove}>
          {t("Remove them from the link")}
        </Button>
      </Group>
    </Alert>
  );
}
