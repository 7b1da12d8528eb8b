/** A text as a QR code: always dark on white, because scanners expect that. */
import { useMemo } from "react";
import { qrMatrix } from "./qr-matrix.ts";

/** Light modules around the code, as the standard asks. */
const MARGIN = 4;

/** Nothing when the text is too long for one. */
export function QrCode({ text, label, size = 184 }: { text: string; label: string; size?: number }) {
  const matrix = useMemo(() => qrMatrix(text), [text]);
  if (!matrix) return null;
  const side = matrix.length + 2 * MARGIN;
  const path = matrix
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : "")))
    .join("");
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
