/**
 * A form in a drawer beside the list: one primary button, ⌘↵ saves, closing with changes asks. Read-only for
 * users who may not change it.
 */
import { Badge, Button, Drawer, Group, ScrollArea, Stack, Text, Title } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMayChange } from "#lib/changes.ts";
import { issueTexts } from "#lib/errors/error-text.ts";
import { restoreRowFocus } from "#ui/table/current-row.ts";
import { toast } from "#ui/toast.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { ErrorSummary, focusField } from "./error-summary.tsx";
import { focusFirstField } from "./first-field.ts";
import { type SchemaForm, showFieldErrors } from "./form.ts";
import { HelpLink } from "./help-link.tsx";
import { confirmLeaving, useLeaveGuard } from "./leave-guard.ts";
import { SaveKeys } from "./save-keys.tsx";
import classes from "./form-drawer.module.css";

type FormDrawerProps<Values extends Record<string, unknown>> = {
  opened: boolean;
  title: string;
  form: SchemaForm<Values>;
  submitLabel: string;
  /** The page of Help about this form: "providers#demo". */
  help: string;
  /** Saves. The fields of a thrown ApiError show their errors. The caller closes the drawer on success. */
  onSubmit: (values: Values) => Promise<unknown>;
  onClose: () => void;
  /** Left of the buttons, such as a test button. */
  extra?: ReactNode;
  /** A line above the buttons, such as the result of a test. */
  notice?: ReactNode;
  /** Names a field by its path. With it, invalid fields are listed above the buttons as links. */
  fieldName?: (path: string) => string;
  /** Something besides the form's own fields has changed. */
  changed?: boolean;
  /** In pixels. */
  width?: number;
  children: ReactNode;
};

export function FormDrawer<Values extends Record<string, unknown>>(props: FormDrawerProps<Values>) {
  const { opened, title, form, submitLabel, onSubmit, onClose, extra, notice, width = 600, children } = props;
  const { t } = useTranslation();
  const phone = useIsPhone();
  const mayChange = useMayChange();
  const [saving, setSaving] = useState(false);
  const sending = useRef(false);
  const [refused, setRefused] = useState(false);
  const body = useRef<HTMLFormElement>(null);
  const attach = useCallback((form: HTMLFormElement | null) => {
    body.current = form;
    return focusFirstField(form);
  }, []);
  const dirty = opened && (form.isDirty() || props.changed === true);

  // The address may change under an open form too, by the back button or the command palette.
  useLeaveGuard(dirty);

  const close = async () => {
    if (saving) return;
    if (dirty && !(await confirmLeaving())) return;
    onClose();
  };

  const save = async (values: Values) => {
    // The keyboard shortcut works while the button is disabled.
    if (sending.current) return;
    sending.current = true;
    setSaving(true);
    try {
      await onSubmit(values);
    } catch (error) {
      // An error without field errors was already reported as a toast.
      if (showFieldErrors(form, error, t)) showFirst(Object.values(issueTexts(t, error)));
    } finally {
      sending.current = false;
      setSaving(false);
    }
  };

  /** @param sentences error messages; shown as a toast when no visible field has the error */
  const showFirst = ([sentence]: ReactNode[]) => {
    setRefused(true);
    requestAnimationFrame(() => {
      const field = body.current?.querySelector<HTMLElement>("[aria-invalid=true], [data-error=true]");
      field?.scrollIntoView({ block: "center" });
      field?.focus();
      if (!field && !props.fieldName) toast.error(sentence);
    });
  };

  useHotkeys([["mod+Enter", () => opened && mayChange && body.current?.requestSubmit()]], []);

  return (
    <Drawer.Root
      opened={opened}
      onClose={() => void close()}
      // A form that was loaded open does not know the row that opened it, and a question in between takes the focus.
      onExitTransitionEnd={restoreRowFocus}
      position="right"
      size={phone ? "100%" : width}
      closeOnClickOutside={!saving}
      classNames={{ content: classes.content }}
    >
      <Drawer.Overlay backgroundOpacity={0.3} />
      <Drawer.Content>
        <Drawer.Header className={classes.header} role="none">
          <Drawer.Title>
            <Title order={2} component="span" fz="lg">
              {title}
            </Title>
            {mayChange ? null : (
              <Badge color="gray" ml={10}>
                {t("Read only")}
              </Badge>
            )}
          </Drawer.Title>
          <Group gap={2} wrap="nowrap">
            <HelpLink help={props.help} about={title} />
            <Drawer.CloseButton aria-label={t("Close")} />
          </Group>
        </Drawer.Header>
        <form
          ref={attach}
          onSubmit={(event) =>
            form.onSubmit(
              (values) => void save(values),
              (errors) => showFirst(Object.values(errors)),
            )(event)
          }
          className={classes.form}
          noValidate
        >
          <ScrollArea className={classes.scroll} scrollbarSize={8} type="auto">
            <fieldset className={classes.fields} disabled={!mayChange}>
              <Stack gap="xl" p="lg">
                {children}
              </Stack>
            </fieldset>
          </ScrollArea>
          {/* Below the fields, which stay where they are when it appears. */}
          {props.fieldName && refused ? (
            <ErrorSummary
              errors={form.errors}
              fieldName={props.fieldName}
              onChoose={(path) => focusField(body.current, path)}
            />
          ) : null}
          {notice ? <div className={classes.notice}>{notice}</div> : null}
          <Group className={classes.footer} justify="space-between" wrap="nowrap">
            <Group gap="xs">{mayChange ? extra : null}</Group>
            <Group gap="xs" wrap="nowrap">
              {mayChange ? <SaveKeys /> : null}
              <Button variant="default" onClick={() => void close()} disabled={saving}>
                {mayChange ? t("Cancel") : t("Close")}
              </Button>
              {mayChange ? (
                <Button type="submit" loading={saving}>
                  {submitLabel}
                </Button>
              ) : null}
            </Group>
          </Group>
        </form>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** A group of fields with a short description. */
export function FormSection({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Stack gap="md" component="section">
      <div>
        <Title order={3} fz="md">
          {title}
        </Title>
        {hint ? (
          <Text c="dimmed" fz="sm" mt={2}>
            {hint}
          </Text>
        ) : null}
      </div>
      {children}
    </Stack>
  );
}
