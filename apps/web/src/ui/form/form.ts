import { fieldReasons } from "@gateway/shared/errors/fields";
import { issueOf } from "@gateway/shared/errors/issue";
import type { WireParams } from "@gateway/shared/errors/phrase";
/** Forms checked by the schema the server enforces; server sentences land on their fields. */
import { type FormErrors, useForm, type UseFormReturnType } from "@mantine/form";
import type { TFunction } from "i18next";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { issueText, issueTexts } from "#lib/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { knowTemplates } from "#lib/late-errors.ts";

knowTemplates(fieldReasons);

export type SchemaForm<Values extends Record<string, unknown>> = UseFormReturnType<Values> & {
  /** Shows what the server said of fields, until their values change or the form is sent again. */
  refuse: (errors: FormErrors) => void;
};

/**
 * @param initialValues what the fields start with; in the shape the schema takes
 * @param also what the schema cannot know: an English sentence or a reason per field; it comes after the schema's
 */
export function useSchemaForm<Schema extends z.ZodObject>(
  schema: Schema,
  initialValues: z.input<Schema>,
  also: (values: z.input<Schema>) => Record<string, string | WireParams> = () => ({}),
): SchemaForm<z.input<Schema>> {
  const { t } = useTranslation();
  // Leaving a field checks it a moment later, and must not wipe away what the server has said of it meanwhile.
  const refused = useRef<{ errors: FormErrors; values: z.input<Schema> } | null>(null);
  const form = useForm<z.input<Schema>>({
    initialValues,
    validateInputOnBlur: true,
    // A sentence that appears at once would move the very control that is being clicked.
    validateDebounce: 250,
    validate: (values) => ({
      ...stillRefused(refused.current, values),
      ...inOrder(schema, { ...translated(t, also(values)), ...problemsOf(t, schema, values) }),
    }),
  });
  return {
    ...form,
    onSubmit: (accept, reject) => (event) => {
      refused.current = null;
      form.onSubmit(accept, reject)(event);
    },
    validate: () => {
      refused.current = null;
      return form.validate();
    },
    refuse: (errors) => {
      refused.current = { errors, values: form.getValues() };
      form.setErrors(errors);
    },
  };
}

function stillRefused(
  refused: { errors: FormErrors; values: Record<string, unknown> } | null,
  values: Record<string, unknown>,
): FormErrors {
  const same = ([path]: [string, unknown]) =>
    JSON.stringify(valueAt(refused?.values, path)) === JSON.stringify(valueAt(values, path));
  return Object.fromEntries(Object.entries(refused?.errors ?? {}).filter(same));
}

function valueAt(values: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], values);
}

/** As the fields stand in the schema, which is how a form shows them. */
function inOrder(schema: z.ZodObject, errors: FormErrors): FormErrors {
  const fields = Object.keys(schema.shape);
  const place = (path: string) => fields.indexOf(path.split(".")[0] ?? "");
  return Object.fromEntries(Object.entries(errors).sort(([one], [other]) => place(one) - place(other)));
}

/** What the schema finds wrong, by path. */
function problemsOf(t: TFunction, schema: z.ZodType, values: unknown): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const issue of schema.safeParse(values).error?.issues ?? [])
    problems[issue.path.join(".")] ??= issueText(t, { ...issueOf(issue, values) });
  return problems;
}

/** The first thing that the schema finds wrong with one value; undefined when it takes the value. */
export function problemIn(t: TFunction, schema: z.ZodType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue === undefined ? undefined : issueText(t, { ...issueOf(issue, value) });
}

function translated(t: TFunction, problems: Record<string, string | WireParams>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problems).map(([field, problem]) => [
      field,
      typeof problem === "string" ? t(problem) : issueText(t, problem),
    ]),
  );
}

/** Puts what the server found wrong on the fields. False when the error names no field. */
export function showFieldErrors<Values extends Record<string, unknown>>(
  form: SchemaForm<Values>,
  error: unknown,
  t: TFunction,
): error is ApiError {
  if (!(error instanceof ApiError) || Object.keys(error.issues).length === 0) return false;
  form.refuse(issueTexts(t, error));
  return true;
}
