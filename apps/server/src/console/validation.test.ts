import { expect, test } from "vitest";
import { z } from "zod";
import { validate } from "./validation.ts";

test("a list with 100,000 faulty values gets an error that names 100 of them", () => {
  const names = Array.from({ length: 100_000 }, () => 0);
  try {
    validate(z.object({ names: z.array(z.string()) }), { names });
    expect.unreachable();
  } catch (error) {
    const { issues } = error as { issues: Record<string, unknown> };
    expect(Object.keys(issues)).toHaveLength(100);
    expect(issues["names.0"]).toMatchObject({ reason: expect.any(String) });
  }
});
