import { type ReactNode, useState } from "react";
import { apiUrl } from "#lib/http.ts";

type ForeignIconProps = { address: string; size: number; fallback: ReactNode };

/**
 * A small image from an external address. Our server fetches and
 * caches it; the browser loads it when the server may not reach it.
 */
export function ForeignIcon(props: ForeignIconProps) {
  return <Picture key={props.address} {...props} />;
}

function Picture({ address, size, fallback }: ForeignIconProps) {
  const [failures, setFailures] = useState(0);
  const sources = /^https?:/i.test(address) ? [apiUrl("/icon", { address }), address] : [address];
  const source = sources[failures];
  if (source === undefined) return fallback;
  return (
    <img
      src={source}
      width={size}
      height={size}
      alt=""
      loading="lazy"
      referrerPolicy="no-referrer"
      onError={() => setFailures(failures + 1)}
      style={{ flex: "none", objectFit: "contain" }}
    />
  );
}
