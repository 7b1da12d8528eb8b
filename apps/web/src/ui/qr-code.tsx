/** A text as a QR code, always dark on white, because scanners expect that. */
import encodeQR from "qr";
import { useMemo } from "react";

/** Light modules around the code, as the standard requires. */
const MARGIN = 4;

/** Renders nothing when the text is too long for a QR code. */
export function QrCode({ text, label, size = 184 }: { text: string; label: string; size?: number }) {
  const modules = useMemo(() => modulesOf(text), [text]);
  if (modules === undefined) return null;
  const side = modules.length;
  const path = modules.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
      style={{ borderRadius: 8, display: "block" }}
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function modulesOf(text: string): boolean[][] | undefined {
  try {
    return encodeQR(text, "raw", { border: MARGIN });
  } catch {
    return undefined;
  }
}
