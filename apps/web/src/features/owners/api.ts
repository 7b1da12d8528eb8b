/** Owners of models. */
import type { ModelOwnerChange, ModelOwnerRow } from "@gateway/shared/channels/owner";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";
import { ownersQuery } from "#lib/queries/owners.ts";
import { deletion, inForm } from "#lib/query-client.ts";

export function useSaveOwner() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ isNew, owner }: { isNew: boolean; owner: ModelOwnerChange }) =>
      isNew
        ? http.post("/model_ownedby", asSent<ModelOwnerRow>(), owner)
        : http.put("/model_ownedby", asSent<ModelOwnerRow>(), owner),
    meta: inForm,
    onSuccess: () => client.invalidateQueries({ queryKey: ownersQuery.queryKey }),
  });
}

export function useDeleteOwner() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.del(`/model_ownedby/${id}`, asSent<null>()),
    meta: deletion,
    onSettled: () => client.invalidateQueries({ queryKey: ownersQuery.queryKey }),
  });
}
