/** Forms validated with the server's schemas. Errors of the server are shown on their fields. */
import { issueOf } from "@gateway/shared/errors/issue";
import type { WireParams } from "@gateway/shared/errors/phrase";
import { type FormErrors, useForm, type UseFormReturnType } from "@mantine/form";
import type { TFunction } from "i18next";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { issueText, issueTexts } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";

export type SchemaForm<Values extends Record<string, unknown>> = UseFormReturnType<Values> & {
  /** Shows the server's field errors until the values change or the form is submitted again. */
  refuse: (errors: FormErrors) => void;
};

/**
 * @param initialValues initial values, in the shape of the schema
 * @param also further checks that the schema cannot do: a text in the user's language or a
 * reason per field; schema errors take precedence
 */
export function useSchemaForm<Schema extends z.ZodObject>(
  schema: Schema,
  initialValues: z.input<Schema>,
  also: (values: z.input<Schema>) => Record<string, string | WireParams> = () => ({}),
): SchemaForm<z.input<Schema>> {
  const { t } = useTranslation();
  // The validation after a blur is delayed. It must not clear server errors that arrived in the meantime.
  const refused = useRef<{ errors: FormErrors; values: z.input<Schema> } | null>(null);
  const form = useForm<z.input<Schema>>({
    initialValues,
    validateInputOnBlur: true,
    // An error shown immediately would move the control that is being clicked.
    validateDebounce: 250,
    validate: (values) => ({
      ...stillRefused(refused.current, values),
      ...inOrder(schema, { ...translateProblems(t, also(values)), ...problemsOf(t, schema, values) }),
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

/** Sorts errors in the order of the schema, which is the order of the form. */
function inOrder(schema: z.ZodObject, errors: FormErrors): FormErrors {
  const fields = Object.keys(schema.shape);
  const place = (path: string) => fields.indexOf(path.split(".")[0] ?? "");
  return Object.fromEntries(Object.entries(errors).sort(([one], [other]) => place(one) - place(other)));
}

/** Returns the schema's errors by path. */
function problemsOf(t: TFunction, schema: z.ZodType, values: unknown): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const issue of schema.safeParse(values).error?.issues ?? [])
    problems[issue.path.join(".")] ??= issueText(t, { ...issueOf(issue, values) });
  return problems;
}

function translateProblems(
  t: TFunction,
  problems: Record<string, string | WireParams>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problems).map(([field, problem]) => [
      field,
      typeof problem === "string" ? problem : issueText(t, problem),
    ]),
  );
}

/** Shows the server's errors on the fields. Returns false when the error has no field errors. */
export function showFieldErrors<Values extends Record<string, unknown>>(
  form: SchemaForm<Values>,
  error: unknown,
  t: TFunction,
): error is ApiError {
  if (!(error instanceof ApiError) || Object.keys(error.issues).length === 0) return false;
  form.refuse(issueTexts(t, error));
  return true;
}
