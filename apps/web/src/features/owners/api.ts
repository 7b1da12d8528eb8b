/** Owners of models. */
import type { ModelOwnerChange, ModelOwnerRow } from "@gateway/shared/channels/owner";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";
import { deletion, inForm } from "#lib/query-client.ts";

const allOwners = ["model-owners"] as const;

export const ownersQuery = queryOptions({
  queryKey: allOwners,
  queryFn: () => http.get("/model_ownedby", asList<ModelOwnerRow[]>()),
});

export function useSaveOwner() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ isNew, owner }: { isNew: boolean; owner: ModelOwnerChange }) =>
      isNew
        ? http.post("/model_ownedby", asSent<ModelOwnerRow>(), owner)
        : http.put("/model_ownedby", asSent<ModelOwnerRow>(), owner),
    meta: inForm,
    onSuccess: () => client.invalidateQueries({ queryKey: allOwners }),
  });
}

export function useDeleteOwner() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.del(`/model_ownedby/${id}`, asSent<null>()),
    meta: deletion,
    onSettled: () => client.invalidateQueries({ queryKey: allOwners }),
  });
}
