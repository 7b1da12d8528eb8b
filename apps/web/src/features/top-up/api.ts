/** Bringing a balance up. */
import { Points } from "@gateway/shared/paging";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { http } from "#lib/http.ts";
import { selfQuery } from "#lib/session.ts";

/** Answers the points that were credited. */
export function useRedeem() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string) => http.post("/user/topup", Points, { key }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
        client.invalidateQueries({ queryKey: ["log"] }),
      ]),
  });
}
