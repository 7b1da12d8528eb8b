import { useMediaQuery } from "@mantine/hooks";

/** Returns whether the window is at most 600 px wide. Updates on resize. */
export function useIsPhone(): boolean {
  return useMediaQuery("(max-width: 37.5em)", undefined, { getInitialValueInEffect: false }) ?? false;
}

/** Returns whether the window is below 960 px, where the menu is a drawer. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 59.99em)", undefined, { getInitialValueInEffect: false }) ?? false;
}
