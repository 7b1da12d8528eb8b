/** An amount of points in a cell or a fact: the digits of its column, and the exact value on hover. */
import { useFormat } from "#lib/quota.ts";

/** @param charge shows the six decimals of a single call instead of the two of a balance or a sum */
export function Amount({ points, charge = false }: { points: number; charge?: boolean }) {
  const format = useFormat();
  return (
    <span className="tabular" title={format.exact(points)}>
      {charge ? format.charge(points) : format.quota(points)}
    </span>
  );
}
