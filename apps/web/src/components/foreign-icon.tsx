import { type ReactNode, useState } from "react";
import { apiUrl } from "#lib/http.ts";

type ForeignIconProps = { address: string; size: number; fallback: ReactNode };

/** A small picture at an address. Our own server fetches and keeps it; what it may not reach, the browser asks for. */
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
