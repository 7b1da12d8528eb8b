import { expect, it } from "vitest";
import { isAddressOrRange } from "./addresses.ts";

it("accepts addresses and ranges of both families", () => {
  for (const text of ["10.0.0.7", "255.255.255.255", "10.0.0.0/8", "::1", "2001:db8::/32", "::ffff:1.2.3.4"])
    expect(isAddressOrRange(text), text).toBe(true);
});

it("rejects everything else", () => {
  for (const text of ["", "office", "10.1", "256.1.1.1", "10.0.0.0/33", "10.0.0.0/8/8", "::1/129", "1::2::3"])
    expect(isAddressOrRange(text), text).toBe(false);
});
