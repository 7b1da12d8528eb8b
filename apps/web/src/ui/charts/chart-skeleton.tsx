/** Takes the place of stacked bars and their legend until the data arrives. */
import { Skeleton } from "@mantine/core";

export function ChartSkeleton() {
  return (
    <>
      <Skeleton height={260} mb="md" />
      <Skeleton height={12} width={110} my={4} />
    </>
  );
}
