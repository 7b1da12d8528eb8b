import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";

/** Changes the objects in the list of a field. Returns the same object when there is no list, or nothing changes. */
export function mapField(owner: Wire, field: string, change: (each: Wire) => Wire): Wire {
  const list = mapObjects(owner[field], change);
  return list === owner[field] ? owner : { ...owner, [field]: list };
}

/** Changes the objects in a list. Returns the same value when it is no list, or nothing changes. */
export function mapObjects(value: unknown, change: (each: Wire) => Wire): unknown {
  if (!Array.isArray(value)) return value;
  let isChanged = false;
  const list = value.map((each: unknown) => {
    const wire = asRecord(each);
    const next = wire === undefined ? each : change(wire);
    isChanged ||= next !== each;
    return next;
  });
  return isChanged ? list : value;
}
