/** Forms checked by the schema the server enforces; server sentences land on their fields. */
import { type FormErrors, schemaResolver, useForm, type UseFormReturnType } from "@mantine/form";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { translateSentence } from "#lib/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { speakForSchemas } from "#lib/schema-messages.ts";

speakForSchemas();

export type SchemaForm<Values extends Record<string, unknown>> = UseFormReturnType<Values> & {
  /** Shows what the server said of fields, until their values change or the form is sent again. */
  refuse: (errors: FormErrors) => void;
};

/**
 * @param initialValues what the fields start with; in the shape the schema takes
 * @param also what the schema cannot know, as an English sentence per field; its sentence comes after the schema's
 */
export function useSchemaForm<Schema extends z.ZodObject>(
  schema: Schema,
  initialValues: z.input<Schema>,
  also: (values: z.input<Schema>) => Record<string, string> = () => ({}),
): SchemaForm<z.input<Schema>> {
  const { t } = useTranslation();
  const check = schemaResolver(schema, { sync: true });
  // Leaving a field checks it a moment later, and must not wipe away what the server has said of it meanwhile.
  const refused = useRef<{ errors: FormErrors; values: z.input<Schema> } | null>(null);
  const form = useForm<z.input<Schema>>({
    initialValues,
    validateInputOnBlur: true,
    // A sentence that appears at once would move the very control that is being clicked.
    validateDebounce: 250,
    validate: (values) => ({
      ...stillRefused(refused.current, values),
      ...translateErrors(inOrder(schema, { ...also(values), ...check(values) }), (message) =>
        translateSentence(t, message),
      ),
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

function translateErrors(errors: FormErrors, translate: (message: string) => string): FormErrors {
  const result: FormErrors = {};
  for (const [field, error] of Object.entries(errors))
    result[field] = typeof error === "string" ? translate(error) : error;
  return result;
}

/** Puts the server's field sentences on the fields. False when the error names no field. */
export function showFieldErrors<Values extends Record<string, unknown>>(
  form: SchemaForm<Values>,
  error: unknown,
  translate: (message: string) => string,
): error is ApiError {
  if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) return false;
  form.refuse(translateErrors(error.fields, translate));
  return true;
}
