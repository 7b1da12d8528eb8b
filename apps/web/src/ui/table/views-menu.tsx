/** Saves the filters of a list under a name, and applies them again. The address contains the filters, so it can be shared. */
import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBookmark, IconTrash } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { useQueryString } from "#lib/address/list-params.ts";
import { useSelf } from "#lib/session.ts";
import { storeViews, LONGEST_NAME, MOST_VIEWS, viewOf, viewsOf, withView } from "./saved-views.ts";
import classes from "./views-menu.module.css";

/** @param list key of the list in the browser's storage */
export function ViewsMenu({ list }: { list: string }) {
  const { t } = useTranslation();
  const userId = useSelf()?.id ?? 0;
  const [, setSearch] = useSearchParams();
  const search = viewOf(useQueryString());
  const [isOpen, menu] = useDisclosure(false);
  const [views, setViews] = useState(() => viewsOf(list, userId));
  const [name, setName] = useState("");
  const current = views.find((view) => viewOf(view.search) === search);
  const change = (next: typeof views) => {
    setViews(next);
    storeViews(list, userId, next);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const newName = name.trim();
    if (newName === "") return;
    change(withView(views, { name: newName, search }));
    setName("");
    menu.close();
  };
  const isFull = views.length >= MOST_VIEWS && !views.some((view) => view.name === name.trim());
  return (
    <Popover opened={isOpen} onChange={menu.toggle} position="bottom-end" width={300} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant={current ? "light" : "default"}
          leftSection={<IconBookmark size={16} />}
          onClick={menu.toggle}
        >
          {current?.name ?? t("Views")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {views.length === 0 ? (
            <Text fz="sm" c="dimmed">
              {t("Save filters that you use often. They are stored in this browser.")}
            </Text>
          ) : (
            <ul className={classes.views} aria-label={t("Saved views")}>
              {views.map((view) => (
                <li key={view.name}>
                  <UnstyledButton
                    className={classes.view}
                    aria-current={view === current || undefined}
                    onClick={() => {
                      setSearch(new URLSearchParams(view.search));
                      menu.close();
                    }}
                  >
                    {view.name}
                  </UnstyledButton>
                  <ActionIcon
                    size={28}
                    aria-label={t("Delete the view {{name}}", { name: view.name })}
                    onClick={() => change(views.filter((each) => each !== view))}
                  >
                    <IconTrash size={15} />
                  </ActionIcon>
                </li>
              ))}
            </ul>
          )}
          {current ? null : (
            <form onSubmit={save}>
              <Group gap="xs" wrap="nowrap" align="flex-end">
                <TextInput
                  label={t("Save the current filters as")}
                  value={name}
                  maxLength={LONGEST_NAME}
                  autoComplete="off"
                  flex={1}
                  data-autofocus
                  error={
                    isFull
                      ? t("You can save up to {{count}} views. Delete one first.", { count: MOST_VIEWS })
                      : undefined
                  }
                  onChange={(event) => setName(event.currentTarget.value)}
                />
                <Button type="submit" disabled={name.trim() === "" || isFull}>
                  {t("Save")}
                </Button>
              </Group>
            </form>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
