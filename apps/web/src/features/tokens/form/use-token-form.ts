/** The form of a token, for its owner, for an administrator and for a device. */
import type { TokenRow } from "@gateway/shared/accounts/token";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { modelsQuery } from "#lib/queries/models.ts";
import { modelsOfGroups } from "#lib/reachable-models.ts";
import { useSelf } from "#lib/session.ts";
import { useSchemaForm } from "#ui/form/form.ts";
import { tokenFormSchema, type TokenSchemaForm, toTokenFormValues } from "./form-schema.ts";

/** @param token undefined for a new one, which has this name at first */
export function useTokenForm(token?: TokenRow, name?: string): TokenSchemaForm {
  const schema = useMemo(() => tokenFormSchema(token), [token]);
  const values = toTokenFormValues(token);
  // Settings are optional in the schema's input, but the initial values contain all of them.
  return useSchemaForm(schema, name === undefined ? values : { ...values, name }) as TokenSchemaForm;
}

/** Returns the models of the user, undefined while loading, and the names that the selected groups reach. */
export function useReachableModels(form: TokenSchemaForm) {
  const self = useSelf();
  const models = useQuery(modelsQuery).data;
  const { group = "", backup_group = "" } = form.values;
  const reachable = useMemo(
    () => modelsOfGroups(models ?? {}, [group || (self?.group ?? ""), backup_group]),
    [models, group, backup_group, self?.group],
  );
  return { models, reachable };
}
