import type { LogRow } from "@gateway/shared/usage/log";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { newestCallQuery } from "#lib/queries/logs.ts";

/**
 * Returns the call of the account that arrived after the component appeared; undefined until then.
 * @param follows whether later calls replace it
 */
export function useNextCall(follows: boolean): LogRow | undefined {
  // Ids are compared, because the clocks of both sides may differ.
  const [known, setKnown] = useState<string>();
  const [call, setCall] = useState<LogRow>();
  const newest = useQuery(newestCallQuery(follows || call === undefined)).data;
  if (newest !== undefined && known === undefined) setKnown(newest?.id ?? "");
  if (newest && known !== undefined && newest.id !== known && newest.id !== call?.id) setCall(newest);
  return call;
}
